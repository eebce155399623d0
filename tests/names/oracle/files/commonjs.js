"use strict";
const fs = require("fs");
const { join, resolve: full } = require("path");
const helpers = require("./helpers");

function read(file) {
  return fs.readFileSync(join(__dirname, file));
}

function write(file) {
  helpers.log(full(file));
}

class Store {
  get path() {
    return read("store.json");
  }
}

const internal = () => write;

module.exports = { read, Store, open: (name) => new Store(name) };
