// Prints what the TypeScript compiler says of the files beside it: for every declaration the line of its first reference from outside
// of it, 0 for none. What augments a module and what a namespace exports is left out: members are not looked up by the file alone.
// Run with `NODE_PATH=<where typescript is> node references.cjs > references.json` after a change of the files.
const fs = require("fs");
const path = require("path");
const ts = require("typescript");

const directory = path.join(__dirname, "files");
const counted = new Set([
  ts.SyntaxKind.FunctionDeclaration, ts.SyntaxKind.ClassDeclaration, ts.SyntaxKind.InterfaceDeclaration, ts.SyntaxKind.EnumDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration, ts.SyntaxKind.ModuleDeclaration, ts.SyntaxKind.VariableDeclaration, ts.SyntaxKind.BindingElement,
  ts.SyntaxKind.ImportSpecifier, ts.SyntaxKind.ImportClause, ts.SyntaxKind.NamespaceImport,
]);

// Variables count at the top of a file or a namespace, everything else in functions too.
function counts(declaration) {
  if (!counted.has(declaration.kind) || !declaration.name || declaration.name.kind !== ts.SyntaxKind.Identifier) return false;
  for (let at = declaration; at; at = at.parent) {
    if (ts.isModuleDeclaration(at) && (at.name.kind === ts.SyntaxKind.StringLiteral || at.name.text === "global")) return false;
  }
  if (declaration.parent.kind === ts.SyntaxKind.ModuleBlock && ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) return false;
  if (declaration.kind !== ts.SyntaxKind.VariableDeclaration && declaration.kind !== ts.SyntaxKind.BindingElement) return true;
  for (let at = declaration.parent; at; at = at.parent) {
    if (ts.isFunctionLike(at) || at.kind === ts.SyntaxKind.ClassStaticBlockDeclaration || at.kind === ts.SyntaxKind.CatchClause) return false;
    if (ts.isForStatement(at) || ts.isForOfStatement(at) || ts.isForInStatement(at)) return false;
    if (at.kind === ts.SyntaxKind.Block || at.kind === ts.SyntaxKind.CaseBlock) return false;
  }
  return true;
}

const all = {};
for (const name of fs.readdirSync(directory).sort()) {
  const file = path.join(directory, name);
  const options = {
    allowJs: true, checkJs: true, noResolve: true, noLib: true, jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext, experimentalDecorators: true, types: [],
  };
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const line = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const found = {};
  const first = (symbol) => (symbol && symbol.declarations || []).find((one) => one.getSourceFile() === source && counts(one));
  const key = (declaration) => `${declaration.name.text}:${line(declaration.name)}`;
  (function declare(node) {
    if (counts(node) && first(checker.getSymbolAtLocation(node.name)) === node) found[key(node)] = 0;
    ts.forEachChild(node, declare);
  })(source);
  (function refer(node) {
    if (ts.isExportSpecifier(node) || (ts.isExportAssignment(node) && ts.isIdentifier(node.expression))) return;
    if (ts.isIdentifier(node) && !(node.parent.name === node && counts(node.parent))) {
      let symbol = checker.getSymbolAtLocation(node);
      if (ts.isShorthandPropertyAssignment(node.parent)) symbol = checker.getShorthandAssignmentValueSymbol(node.parent);
      const declaration = first(symbol);
      const isInside = declaration && declaration.pos <= node.pos && node.end <= declaration.end;
      if (declaration && !isInside && key(declaration) in found) {
        const at = line(node);
        if (!found[key(declaration)] || at < found[key(declaration)]) found[key(declaration)] = at;
      }
    }
    ts.forEachChild(node, refer);
  })(source);
  all[name] = found;
}
console.log(JSON.stringify(all, null, 1));
