import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

type Node = { type: string; start: number; end: number; [field: string]: unknown }
type Css = (styles: unknown) => string

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const childrenOf = (node: Node) => Object.values(node).flat().filter(isNode)

class NotLiteral extends Error {
  readonly node: Node
  constructor(node: Node) {
    super('css() is given more than literals, and Panda reads nothing else')
    this.node = node
  }
}

/** The value of an object literal. */
const literal = (node: Node): unknown => {
  if (node.type === 'Literal') return node.value
  if (node.type === 'UnaryExpression' && node.operator === '-') return -Number(literal(node.argument as Node))
  if (node.type === 'ArrayExpression') return (node.elements as Node[]).map(literal)
  if (node.type !== 'ObjectExpression') throw new NotLiteral(node)
  return Object.fromEntries(
    (node.properties as Node[]).map((property) => {
      const key = property.key as Node | undefined
      if (property.type !== 'Property' || property.computed || !key) throw new NotLiteral(property)
      return [key.type === 'Identifier' ? key.name : literal(key), literal(property.value as Node)]
    }),
  )
}

const callsIn = (node: Node): Node[] => {
  const inner = childrenOf(node).flatMap(callsIn)
  const callee = node.type === 'CallExpression' ? (node.callee as Node) : undefined
  return callee?.type === 'Identifier' && callee.name === 'css' ? [...inner, node] : inner
}

type Edit = { start: number; end: number; text: string }

/** `import { css, cx }` without its `css`. */
const imported = (program: Node): Edit[] =>
  childrenOf(program)
    .filter((node) => node.type === 'ImportDeclaration' && (node.source as Node).value === 'styled-system/css')
    .map(({ start, end, specifiers }) => {
      const others = (specifiers as Node[]).map(({ local }) => String((local as Node).name)).filter((name) => name !== 'css')
      return { start, end, text: others.length > 0 ? `import { ${others.join(', ')} } from 'styled-system/css'` : '' }
    })

/** Replaces each `css({ … })` of the sources by its class names, so that Panda's runtime is not loaded. */
export const replaceCalls = (code: string, program: Node, css: Css): string =>
  [
    ...imported(program),
    ...callsIn(program).map(({ start, end, arguments: given }) => {
      const names = css(...((given as Node[]).map(literal) as [unknown]))
      // Keeps the number of lines, so that the browser's positions match the sources.
      return { start, end, text: `${JSON.stringify(names)}${code.slice(start, end).replace(/[^\n]/g, '')}` }
    }),
  ]
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code)

/** `generated` is Panda's file that exports `css`. */
export const staticCss = (generated: string): Plugin => {
  let css: Css
  return {
    name: 'static-css',
    apply: 'build',
    buildStart: async () => {
      css = (await import(pathToFileURL(generated).href)).css
    },
    transform: {
      filter: { id: /\/src\/.*\.tsx?$/, code: /from ['"]styled-system\/css['"]/ },
      handler(code) {
        try {
          return { code: replaceCalls(code, this.parse(code) as unknown as Node, css), map: null }
        } catch (error) {
          if (error instanceof NotLiteral) return this.error(error.message, error.node.start)
          throw error
        }
      },
    },
  }
}
