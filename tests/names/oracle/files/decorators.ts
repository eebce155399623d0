import { Controller, Get, Inject } from "./framework";
import { Service } from "./service";
import { Dto } from "./dto";

const ROUTE = "/items";
const TOKEN = Symbol("token");

function Log(target: unknown, name: string) {
  return void [target, name];
}

@Controller(ROUTE)
export class Items {
  constructor(private service: Service, @Inject(TOKEN) private other: unknown) {}

  @Get(":id")
  @Log
  find(dto: Dto) {
    return this.service.find(dto);
  }
}
