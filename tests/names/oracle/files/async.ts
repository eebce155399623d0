import { get } from "./http";
import { parse } from "./parse";

const base = "http://x";
const retry = async <T,>(work: () => Promise<T>, times = 3): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (times > 0) return retry(work, times - 1);
    throw error;
  }
};

export async function* pages(from: number) {
  for await (const page of [from]) {
    yield parse(await retry(() => get(`${base}/${page}`)));
  }
}

export const lazy = () => import("./heavy").then(({ heavy }) => heavy(base));
