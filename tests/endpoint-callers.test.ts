import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import * as deviceEndpoints from '../contract/device/endpoints'
import { endpoints } from '../contract/endpoints'
import { root } from '../server/core/root'

/** Endpoints without a caller in this repository, with the later capability or the program outside that calls them. */
const uncalled: Readonly<Record<string, string>> = {
  'invites.invite': 'answers to invites in the console',
  'invites.acceptInvite': 'answers to invites in the console',
  'invites.declineInvite': 'answers to invites in the console',
  'logSummaries.logSummary': 'link to one log summary',
  'keys.signingKey': 'access tokens: programs that sign releases',
  'eventStream.storedEvents': 'programs that read what they missed',
  'subscriptions.receiveBillingEvent': 'events of the payment provider',
  'device.patchAttributes': 'agents that report single attributes',
}

/** Screens and agents call an endpoint by the functions of these files. */
const isClient = (file: string) => /^(src\/api|agent\/api-client)\//.test(file)

const files = ['contract', 'src', 'agent', 'cli', 'server'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.gen\.ts$/.test(name))
    .map((name) => `${folder}/${name}`),
)

// Without the types of packages: names are resolved between these files only.
const program = ts.createProgram(
  files.map((file) => join(root, file)),
  {
    jsx: ts.JsxEmit.Preserve,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noLib: true,
    noResolve: true,
    types: [],
  },
)
const checker = program.getTypeChecker()

const original = (symbol: ts.Symbol | undefined) =>
  symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

const exportOf = (module: ts.Symbol | undefined, name: string) =>
  module && module.flags & ts.SymbolFlags.ValueModule ? original(checker.tryGetMemberInModuleExports(name, module)) : undefined

/** The declaration that a name means; a member of `import * as` means the export. */
const meaningOf = (name: ts.Identifier) => {
  const { parent } = name
  if (ts.isShorthandPropertyAssignment(parent)) return original(checker.getShorthandAssignmentValueSymbol(parent))
  if (!ts.isPropertyAccessExpression(parent) || parent.name !== name) return original(checker.getSymbolAtLocation(name))
  const { expression } = parent
  return ts.isIdentifier(expression) ? exportOf(original(checker.getSymbolAtLocation(expression)), name.text) : undefined
}

/** The server uses an endpoint to serve it; with its path it makes an address, which an answer gives to a caller. */
const isAddress = ({ parent }: ts.Node): boolean =>
  ts.isPropertyAccessExpression(parent) && (parent.name.text === 'path' || isAddress(parent))

type Use = { file: string; by: readonly ts.Symbol[] }
const uses = new Map<ts.Symbol, Use[]>()

const collect = (node: ts.Node, use: Use): void => {
  if (ts.isTypeNode(node)) return
  if (!ts.isIdentifier(node)) return node.forEachChild((child) => collect(child, use))
  const symbol = use.file.startsWith('server/') && !isAddress(node) ? undefined : meaningOf(node)
  if (symbol) uses.set(symbol, [...(uses.get(symbol) ?? []), use])
}

const declaredBy = (statement: ts.Statement) => {
  const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
  return declared.flatMap((one) => ('name' in one && checker.getSymbolAtLocation(one.name as ts.Node)) || [])
}

for (const file of files)
  for (const statement of program.getSourceFile(join(root, file))?.statements ?? [])
    if (!file.startsWith('contract/') && !ts.isImportDeclaration(statement))
      collect(statement, { file, by: declaredBy(statement) })

/** The files that use a declaration, directly or by functions of the clients. */
const callersOf = (symbol: ts.Symbol | undefined, seen = new Set<ts.Symbol>()): string[] => {
  if (!symbol || seen.has(symbol)) return []
  seen.add(symbol)
  return (uses.get(symbol) ?? []).flatMap(({ file, by }) => (isClient(file) ? by.flatMap((one) => callersOf(one, seen)) : [file]))
}

// The names of the modules are those that contract/endpoints.ts gives them.
const table = readFileSync(join(root, 'contract/endpoints.ts'), 'utf8')
const paths = new Map(
  [...table.matchAll(/^import \* as (\w+) from '\.\/(.+)'$/gm)].map(([, name = '', path = '']) => [name, path]),
)
const modules = new Map(
  [...table.matchAll(/^ {2}'?([\w/-]+)'?(?:: (\w+))?,$/gm)].map(([, name = '', given = name]) => [
    name,
    `${paths.get(given)}.ts`,
  ]),
)
const names = [...Object.keys(endpoints), ...Object.keys(deviceEndpoints).map((name) => `device.${name}`)]
const rows = names.map((name) => {
  const [module = '', member = ''] = name.split('.')
  const source = program.getSourceFile(
    join(root, 'contract', module === 'device' ? 'device/endpoints.ts' : (modules.get(module) ?? '')),
  )
  const [file = 'nothing'] = callersOf(exportOf(source && checker.getSymbolAtLocation(source), member)).toSorted()
  return { name, caller: file.startsWith('server/') ? `whoever gets its address from ${file}` : file }
})

it.each(rows.filter(({ name }) => !(name in uncalled)))('$name is called by $caller', ({ caller }) => {
  expect(caller).not.toBe('nothing')
})

it.each(Object.entries(uncalled))('%s is called by nothing here, and needs this exception: %s', (name) => {
  expect(rows).toContainEqual({ name, caller: 'nothing' })
})
