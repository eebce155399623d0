import type { Theme } from "./theme";

declare module "./theme" {
  interface Theme {
    extra: Extra;
  }
}
declare global {
  interface Window {
    app: App;
  }
}
interface Extra {
  on: boolean;
}
interface App {
  theme: Theme;
}
declare function external(extra: Extra): void;
external({ on: true });
