"""Files that tools find by their names and places: the table of conventions of the JavaScript world.

`CONFIGURED` are tools whose configuration is a file `<tool>.config.<suffix>`, with any words between (`webpack.prod.config.js`,
`vite.config.lib.ts`). `CONVENTIONS` are patterns over the path below the package that holds a file; one with `needs` counts in a package
that depends on one of these, itself or through a package around it. `docs/reference/javascript.md` lists both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["CONFIGURED", "CONVENTIONS", "MADE_BY_FRAMEWORKS", "Convention"]

CONFIGURED = frozenset({
    "astro", "ava", "babel", "backstop", "bundlesize", "c8", "capacitor", "commitlint", "contentlayer",
    "contentlayer2", "craco", "cspell", "cucumber", "cypress", "cz", "docusaurus", "drizzle", "electron", "electron-builder",
    "electron.vite", "esbuild", "eslint", "expo", "farm", "gatsby", "graphql", "gridsome", "hardhat", "histoire",
    "i18next", "i18next-parser", "ionic", "jest", "jsdoc", "karma", "knip", "kubb", "ladle", "lerna", "lingui", "lint-staged", "lost-pixel",
    "markdownlint", "mdsvex", "metro", "mikro-orm", "mocha", "modern", "module-federation", "nano-staged", "next", "next-i18next",
    "next-sitemap", "nightwatch", "nitro", "nodemon", "nuxt", "nx", "nyc", "openapi-ts", "orval", "panda", "parcel", "payload", "pkgroll",
    "playwright", "playwright-ct", "plopfile", "pm2", "postcss", "prettier", "prisma", "protractor", "puppeteer", "quasar", "react-router",
    "react-native", "release-it", "remix", "remotion", "rolldown", "rollup", "rsbuild", "rslib", "rspack", "rspress",
    "rstest", "sanity", "semantic-release", "simple-git-hooks", "size-limit", "snowpack", "spectral", "sst", "stencil", "storybook",
    "stryker", "style-dictionary", "stylelint", "stylex", "svelte", "svgo", "svgr", "syncpack", "tailwind", "tamagui", "taro", "testcafe",
    "toolpad", "trigger", "tsdown", "tsup", "turbo", "typedoc", "typeorm", "umi", "unbuild", "uno", "unocss", "velite", "vike",
    "vite", "vitepress", "vitest", "volar", "vue", "wagmi", "wdio", "webdriverio", "webpack", "webpack-mix", "windi", "workbox", "wxt",

})  # fmt: skip

# How the names of modules start that a framework makes while it builds: they are no files of the tree.
MADE_BY_FRAMEWORKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("@sveltejs/kit", ("$app/", "$env/", "$service-worker", "./$types", "$houdini", "$paraglide")),
    ("nuxt", ("#imports", "#app", "#components", "#build", "#ui", "#auth", "#content", "#head", "#vue-router", "#site", "#i18n")),
    ("nitropack", ("#imports", "#nitro", "#internal")),
    ("@react-router/dev", ("./+types/", "virtual:")),
    ("@docusaurus/core", ("@theme/", "@theme-original/", "@theme-init/", "@docusaurus/", "@generated/")),
    ("astro", ("astro:",)),
    ("vite", ("virtual:", "/@vite", "/@fs/", "/@id/", "/@react-refresh")),
    ("vitest", ("virtual:",)),
    ("rollup", ("virtual:", "\0")),
    ("unocss", ("uno.css",)),
    ("unplugin-icons", ("~icons/", "virtual:icons")),
    ("vite-plugin-pages", ("~pages", "~react-pages", "virtual:generated-pages")),
    ("@cloudflare/workers-types", ("cloudflare:",)),
    ("wrangler", ("cloudflare:",)),
    ("vscode", ("vscode",)),
    ("@types/vscode", ("vscode",)),
    ("electron", ("electron/",)),
    ("gatsby", ("@gatsbyjs/reach-router",)),
    ("vitepress", ("/@siteData",)),
)  # fmt: skip

_CODE = r"\.[cm]?[jt]sx?"


@dataclass(frozen=True, slots=True)
class Convention:
    """Files of a package that something finds: `pattern` over the path below the package, in regular-expression syntax without anchors.

    Blanks and line ends in it mean nothing; `{code}` stands for the suffixes of TypeScript and JavaScript. `role` is a word of the
    vocabulary.
    """

    why: str
    pattern: str
    needs: tuple[str, ...] = ()
    role: str = "entry_named"

    @property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern.replace("{code}", _CODE), re.VERBOSE)


CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "a task runner runs it",
        r"(?:.*/)?(?:[Gg]ulpfile|[Gg]runtfile|[Jj]akefile|plopfile|ember-cli-build|Brocfile|wallaby){code}",
    ),
    Convention(
        "a task runner runs it",
        r"(?:.*/)?(?:gulpfile|Gulpfile)(?:\.babel|\.esm){code}",
    ),
    Convention(
        "a test runner reads its settings from it",
        r"(?:.*/)?(?:karma|protractor|wdio|nightwatch|intern|testem|stryker|backstop|codecept)(?:[.-][\w-]+)*\.conf{code}",
    ),
    Convention(
        "a test runner runs it first",
        r"""
        (?:.*/)?(?:jest|vitest|mocha|test|playwright|setup)[.-]?(?:setup|global-?setup|globalSetup|teardown|environment|
        preset|polyfills)(?:[.-][\w-]+)*{code}
        """,
    ),
    Convention(
        "a test runner runs it first",
        r"(?:.*/)?(?:setupTests|setup-?[Jj]est|setup-?[Vv]itest|setup-tests?|globalSetup|globalTeardown){code}",
    ),
    Convention(
        "a test runner runs its workspace from it",
        r"(?:.*/)?vitest\.(?:workspace|projects){code}",
    ),
    Convention(
        "a tool reads its settings from it",
        r"""
        (?:config/)?(?:gatsby-(?:config|node|browser|ssr)|ember-cli-build|tailwind|postcss|webpack\.mix|knexfile|ormconfig|
        sidebars|ecosystem|pm2|stencil|workbox-config|lint-staged|commitlint|svgo|testem|mdx-components|vetur|app\.plugin|
        dangerfile|truffle-config|hardhat|browserslist|license-checker|typedoc|codegen|serverless|sst|jsdoc){code}
        """,
    ),
    Convention(
        "a bundler reads its settings from it",
        r"""
        (?:.*/)?(?:webpack|rollup|vite|rspack|babel|esbuild|tsup)(?:[.-](?:common|base|dev|prod|production|development|
        test|main|renderer|server|client|lib|ssr|build|dll))+{code}
        """,
    ),
    Convention(
        "Docusaurus, VuePress or VitePress reads it",
        r"(?:.*/)?(?:sidebars?|navbar){code}",
        needs=(
            "@docusaurus/core",
            "vuepress",
            "vitepress",
        ),
    ),
    Convention(
        "collected by a test runner",
        r"""
        (?:.*/)?[^/]*\.(?:test|spec|tests|specs|e2e|e2e-spec|cy|unit|int|integration|bench|benchmark|test-d|tst|
        perf)(?:\.[\w-]+)?{code}
        """,
        role="test",
    ),
    Convention(
        "collected by a test runner",
        r"(?:.*/)?[^/]*[-_](?:test|spec){code}",
        role="test",
    ),
    Convention(
        "collected by a test runner",
        r"(?:.*/)?(?:test|tests|spec|specs){code}",
        role="test",
    ),
    Convention(
        "a file of tests or of their data",
        r"""
        (?:.*/)?(?:__tests?__|__mocks__|__fixtures__|__testfixtures__|__snapshots__|__e2e__|__stubs__|__benchmarks?__|
        __dtests__|tests?|specs?|e2e|cypress|playwright|integration-tests|unit-tests|test-utils|testing|fixtures?|
        mocks?|testdata|test-d|tests?-[\w-]+|[\w-]+-tests?)/.*
        """,
        role="test",
    ),
    Convention(
        "shown by Storybook or a like tool",
        r"(?:.*/)?[^/]*\.(?:stories|story|docs|mdx|ladle|cosmos\.fixture|fixture|demo|example|codemod){code}",
    ),
    Convention(
        "shown by Storybook or a like tool",
        r"(?:.*/)?[^/]*\.(?:stories|story)\.(?:svelte|vue)",
    ),
    Convention(
        "the start of a page that Vite serves",
        r"(?:src/)?(?:main|index|entry-(?:client|server)){code}",
        needs=(
            "vite",
            "@vitejs/plugin-vue",
            "rolldown-vite",
        ),
    ),
    Convention(
        "the start of the application",
        r"src/(?:index|setupTests|setupProxy|service-worker|react-app-env\.d){code}",
        needs=(
            "react-scripts",
            "react-app-rewired",
            "@craco/craco",
        ),
    ),
    Convention(
        "the start of the application",
        r"src/(?:main|background|registerServiceWorker){code}",
        needs=("@vue/cli-service",),
    ),
    Convention(
        "the start of the application",
        r"src/(?:main(?:\.server|\.single-spa)?|polyfills|test|server|bootstrap){code}",
        needs=("@angular/core",),
    ),
    Convention(
        "the start of the application",
        r"(?:src/)?server\.ts",
        needs=(
            "@angular/ssr",
            "@nguniversal/express-engine",
        ),
    ),
    Convention(
        "the start of the application",
        r"src/main\.ts",
        needs=(
            "@nestjs/core",
            "@ionic/vue",
            "@ionic/react",
            "aurelia",
        ),
    ),
    Convention(
        "the start of the application",
        r"(?:index|App|app|main)(?:\.(?:ios|android|native|web))?{code}",
        needs=(
            "react-native",
            "expo",
            "@nativescript/core",
        ),
    ),
    Convention(
        "a route of Expo",
        r"(?:src/)?app/.*{code}",
        needs=("expo-router",),
    ),
    Convention(
        "the start of the application",
        r"src/(?:index|main|app){code}",
        needs=(
            "parcel",
            "webpack",
            "@rspack/core",
            "@rsbuild/core",
            "preact-cli",
            "snowpack",
        ),
    ),
    Convention(
        "a process of Electron",
        r"(?:src/)?(?:main|preload|renderer|electron)(?:/(?:index|main|preload)(?:\.\w+)?)?{code}",
        needs=("electron",),
    ),
    Convention(
        "a page of Next.js",
        r"(?:src/)?pages/.*",
        needs=("next",),
    ),
    Convention(
        "a part of a route of Next.js",
        r"""
        (?:src/)?app/(?:.*/)?(?:page|layout|template|loading|error|global-error|not-found|global-not-found|forbidden|
        unauthorized|default|route|head|sitemap|robots|manifest|favicon|icon\d*|apple-icon\d*|opengraph-image\d*|
        twitter-image\d*){code}
        """,
        needs=("next",),
    ),
    Convention(
        "Next.js runs it",
        r"(?:src/)?(?:middleware|proxy|instrumentation|instrumentation-client|mdx-components|next-env\.d){code}",
        needs=("next",),
    ),
    Convention(
        "Nuxt finds it by its place",
        r"""
        (?:(?:app|src)/)?(?:pages|layouts|components|composables|middleware|plugins|modules|server|utils|store|stores|
        layers/[^/]+|shared)/.*
        """,
        needs=(
            "nuxt",
            "nuxt3",
            "nuxt-edge",
            "nuxt-nightly",
        ),
    ),
    Convention(
        "Nuxt finds it by its place",
        r"(?:(?:app|src)/)?(?:app|error|app\.config|router\.options|spa-loading-template)(?:{code}|\.vue)",
        needs=(
            "nuxt",
            "nuxt3",
            "nuxt-edge",
            "nuxt-nightly",
        ),
    ),
    Convention(
        "the builder of Nuxt modules takes it as it is",
        r"src/runtime/.*",
        needs=("@nuxt/kit", "@nuxt/module-builder"),
    ),
    Convention(
        "Nuxt content reads it",
        r"content\.config{code}",
        needs=(
            "nuxt",
            "nuxt3",
            "nuxt-edge",
            "nuxt-nightly",
        ),
    ),
    Convention(
        "a part of a route of SvelteKit",
        r"src/routes/(?:.*/)?\+[\w.@-]+\.(?:[cm]?[jt]s|svelte)",
        needs=("@sveltejs/kit",),
    ),
    Convention(
        "SvelteKit runs it",
        r"""
        src/(?:hooks(?:\.server|\.client)?|service-worker|instrumentation\.server|app\.d|params/[^/]+|hooks(?:\.server|
        \.client)?/index|service-worker/index){code}
        """,
        needs=("@sveltejs/kit",),
    ),
    Convention(
        "Astro finds it by its place",
        r"""
        src/(?:pages/.*|content/config{code}|content\.config{code}|middleware(?:/index)?{code}|actions/index{code}|
        live\.config{code})
        """,
        needs=("astro",),
    ),
    Convention(
        "a route of Remix or React Router",
        r"(?:app|src)/(?:root|entry\.(?:client|server|worker)|routes|router){code}|(?:app|src)/routes/.*",
        needs=(
            "@remix-run/react",
            "@remix-run/node",
            "@remix-run/dev",
            "@react-router/dev",
            "@react-router/node",
        ),
    ),
    Convention(
        "Gatsby finds it by its place",
        r"src/(?:pages|templates|api|html)(?:/.*|{code})",
        needs=("gatsby",),
    ),
    Convention(
        "Docusaurus finds it by its place",
        r"src/(?:pages|theme|plugins|css)/.*|docs/.*",
        needs=("@docusaurus/core",),
    ),
    Convention(
        "a route of SolidStart, TanStack Start or Qwik",
        r"""
        (?:src|app)/(?:routes/.*|root{code}|entry[-.][\w.-]+{code}|router{code}|client{code}|ssr{code}|server{code}|
        start{code}|global-middleware{code}|routeTree\.gen{code})
        """,
        needs=(
            "@solidjs/start",
            "solid-start",
            "@tanstack/react-start",
            "@tanstack/solid-start",
            "@tanstack/start",
            "@tanstack/router-plugin",
            "@builder.io/qwik-city",
            "@qwik.dev/router",
            "@builder.io/qwik",
        ),
    ),
    Convention(
        "a route of the framework",
        r"src/(?:pages|routes|layouts)/.*",
        needs=(
            "unplugin-vue-router",
            "vite-plugin-pages",
            "vite-plugin-vue-layouts",
            "umi",
            "@umijs/max",
            "vike",
            "vite-plugin-ssr",
            "waku",
            "@generouted/react-router",
            "@ice/app",
            "honox",
            "@analogjs/platform",
            "vite-plugin-next-react-router",
        ),
    ),
    Convention(
        "a route of the server framework",
        r"(?:src/)?(?:api|routes|middleware|plugins|server|tasks|utils)/.*",
        needs=(
            "nitropack",
            "nitro",
            "vinxi",
        ),
    ),
    Convention(
        "a part that a plugin imports by its name",
        r"src/components/.*",
        needs=("unplugin-vue-components",),
    ),
    Convention(
        "a part that a plugin imports by its name",
        r"src/(?:composables|stores?|hooks|utils)/.*",
        needs=("unplugin-auto-import",),
    ),
    Convention(
        "an entry of a browser extension",
        r"""
        (?:src/)?(?:entrypoints/.*|(?:background|popup|options|newtab|sidepanel|devtools|content|contents/.*|
        tabs/.*)(?:/index)?(?:\.\w+)?(?:{code}|\.vue|\.svelte))
        """,
        needs=(
            "wxt",
            "plasmo",
            "@crxjs/vite-plugin",
        ),
    ),
    Convention(
        "Ember resolves it by its place",
        r"(?:app|addon|addon-test-support|mirage|lib)/.*",
        needs=(
            "ember-source",
            "ember-cli",
        ),
    ),
    Convention(
        "Quasar runs it at the start",
        r"""
        src/(?:boot/.*|router/index{code}|store/index{code}|stores/index{code}|App\.vue)|src-(?:pwa|ssr|electron|
        capacitor|bex)/.*
        """,
        needs=("quasar",),
    ),
    Convention(
        "VuePress or VitePress finds it",
        r"(?:docs/)?\.?(?:vuepress|vitepress)/.*",
        needs=(
            "vuepress",
            "vitepress",
        ),
    ),
    Convention(
        "Meteor loads it",
        r"(?:client|server|both|lib)/(?:main|index){code}",
        needs=("meteor-node-stubs",),
    ),
    Convention(
        "Strapi loads it by its place",
        r"(?:src/(?:api|components|extensions|plugins|middlewares|policies|admin|index)|config|database)(?:/.*|{code})",
        needs=(
            "@strapi/strapi",
            "strapi",
        ),
    ),
    Convention(
        "Sails loads it by its place",
        r"(?:api|config|tasks)/.*",
        needs=("sails",),
    ),
    Convention(
        "Adonis loads it by its place",
        r"(?:app|commands|config|contracts|database|providers|start|bin|ace)(?:/.*|{code})",
        needs=("@adonisjs/core",),
    ),
    Convention(
        "a service finds it by its place",
        r"(?:api|functions|netlify/(?:edge-)?functions|edge-functions|supabase/functions)/.*",
        needs=(
            "@vercel/node",
            "vercel",
            "@netlify/functions",
            "netlify-cli",
            "wrangler",
            "@cloudflare/workers-types",
            "supabase",
        ),
    ),
    Convention(
        "a migration or a seed",
        r"(?:.*/)?(?:migrations?|seeds?|seeders)/[^/]*{code}",
        needs=(
            "knex",
            "sequelize",
            "sequelize-cli",
            "typeorm",
            "umzug",
            "mongoose",
            "@mikro-orm/core",
            "node-pg-migrate",
            "db-migrate",
            "drizzle-kit",
            "prisma",
            "kysely",
        ),
    ),
    Convention(
        "Hardhat or Truffle runs it",
        r"(?:scripts|deploy|migrations|tasks|ignition)/.*",
        needs=(
            "hardhat",
            "truffle",
        ),
    ),
    Convention(
        "a sample",
        r"(?:.*/)?(?:examples?|samples?|demos?|playground|playgrounds|sandbox|benchmarks?|bench|perf)/.*",
        role="entry_dir",
    ),
    Convention(
        "a template that is copied",
        r"(?:templates?(?:-[\w-]+)?|boilerplates?|scaffolds?|skeletons?|stubs|generators/[^/]+/(?:templates|files)|schematics/[^/]+/files)/.*",
        role="entry_dir",
    ),
    Convention(
        "a script that people run",
        r"(?:scripts?|bin)/[^/]*{code}",
        role="script",
    ),
)
