"""Resolution of TypeScript, JavaScript, Vue and Svelte: files, packages, compiler settings, conventions."""
