import { alpha, beta as two } from "./greek";
import gamma from "./gamma";
import * as all from "./all";
import unusedDefault, { used } from "./mixed";

const local = used + gamma;
export { alpha, local as renamed };
export { delta } from "./delta";
export * from "./rest";
export * as space from "./space";
export const list = [two, all];
