import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import type { Plugin } from 'vite'

const id = 'virtual:static-labels'
const resolved = `\0${id}`
const exactly = (name: string) => new RegExp(`^${name}$`)
const attributes = /^(label|aria-label|data-analytics-name|title|\w+Label)$/
const properties = /^(label|word|title|\w+Label)$/
const longest = 60

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

const opens = (node: ts.Node) =>
  ts.isJsxExpression(node)
    ? !ts.isJsxAttribute(node.parent)
    : (ts.isJsxAttribute(node) && attributes.test(node.name.getText())) ||
      ((ts.isPropertyAssignment(node) || ts.isBindingElement(node)) && properties.test(node.name.getText()))

/** The fixed label texts in a component's source: text between tags, and literals in label positions. */
export const labelsOf = (source: string): Set<string> => {
  const found = new Set<string>()
  const add = (text: string) => {
    const label = plain(text)
    if (/\p{L}/u.test(label) && label.length <= longest) found.add(label)
  }
  const visit = (node: ts.Node, open: boolean) => {
    if (ts.isJsxText(node)) add(node.text)
    if (open && ts.isStringLiteralLike(node)) add(node.text)
    // Arguments of a call are no labels.
    const inside = opens(node) || (open && !ts.isJsxAttribute(node) && !ts.isCallExpression(node))
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  visit(ts.createSourceFile('component.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX), false)
  return found
}

const sourcesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    // The inspector is not part of the build.
    .filter((path) => !path.includes('inspector'))

/**
 * R25: the catalogue of click labels is extracted from the sources, so that it is complete and can never contain the name of a
 * device or person.
 */
export const staticLabels = (folder: string): Plugin => ({
  name: 'static-labels',
  resolveId: { filter: { id: exactly(id) }, handler: () => resolved },
  load: {
    filter: { id: exactly(resolved) },
    async handler() {
      const texts = await Promise.all((await sourcesIn(folder)).map((path) => readFile(path, 'utf8')))
      const labels = [...new Set(texts.flatMap((text) => [...labelsOf(text)]))].toSorted()
      if (labels.length === 0) this.error('static-labels: the sources contain no label')
      return `export const labels = ${JSON.stringify(labels)}`
    },
  },
})
