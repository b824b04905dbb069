import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../../server/core/root'

const folders = ['contract', 'server', 'agent', 'cli', 'src/lib', 'src/system']

/** Expressions that recheck calls safe: one a line, by code points. */
export const safeExpressionsPath = join(root, 'tests/support/safe-expressions.txt')
export const readSafeExpressions = (): string[] => readFileSync(safeExpressionsPath, 'utf8').split('\n').filter(Boolean)

/** Whether the code makes it of parts at run time, so that no tool can read it. */
export const isMade = (expression: string): boolean => !expression.startsWith('/')

/** Code that is part of the product or runs it; not its tests, nor what only they use. */
const listFiles = async () => {
  const found = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder), { recursive: true })).map((file) => `${folder}/${file}`)),
  )
  return found.flat().filter((file) => /\.(?:tsx?|mjs|js)$/.test(file) && !/\.(?:test|fixture)\.tsx?$|\/testing\//.test(file))
}

const isText = (node: ts.Node | undefined): node is ts.StringLiteralLike => node !== undefined && ts.isStringLiteralLike(node)

/** `/source/flags`; of an expression that is made of parts at run time, the code that makes it, in one line. */
const toExpression = (node: ts.Node, file: ts.SourceFile): string | undefined => {
  if (ts.isRegularExpressionLiteral(node)) return node.text
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined
  if (!/^(?:globalThis\.)?RegExp$/.test(node.expression.getText(file))) return undefined
  const [source, flags] = node.arguments ?? []
  if (isText(source) && (flags === undefined || isText(flags))) return String(new RegExp(source.text, flags?.text))
  return node.getText(file).replace(/\s+/g, ' ')
}

export const findExpressions = (code: string, name: string): string[] => {
  const file = ts.createSourceFile(name, code, ts.ScriptTarget.Latest)
  const found: string[] = []
  const walk = (node: ts.Node): void => {
    const expression = toExpression(node, file)
    if (expression !== undefined) found.push(expression)
    ts.forEachChild(node, walk)
  }
  walk(file)
  return found
}

/** Every regular expression of the product with the files that have it. */
export const listExpressions = async (): Promise<Map<string, string[]>> => {
  const all = new Map<string, string[]>()
  for (const file of (await listFiles()).toSorted())
    for (const expression of findExpressions(await readFile(join(root, file), 'utf8'), file))
      all.set(expression, [...new Set([...(all.get(expression) ?? []), file])])
  return all
}
