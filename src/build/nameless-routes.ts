import type { Plugin } from 'vite'

/** The path in a route's file is for its types; the tree says it again, and every byte of it is in the first script. */
export const namelessRoutes = (): Plugin => ({
  name: 'nameless-routes',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: /\/src\/routes\/[^?]+\.tsx?$/, code: 'createFileRoute(' },
    // Blanks hold the place of the path, so that nothing moves and the source map stays right.
    handler: (code) => ({
      code: code.replace(
        /(createFileRoute\()((["'])[^"']*\3)/,
        (_, call: string, path: string) => call + ' '.repeat(path.length),
      ),
      map: null,
    }),
  },
})
