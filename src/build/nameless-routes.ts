import type { Plugin } from 'vite'

/**
 * Removes the path from a route's file: it is only for the types, the route tree repeats it, and it would add bytes to the
 * first script.
 */
export const namelessRoutes = (): Plugin => ({
  name: 'nameless-routes',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: /\/src\/routes\/[^?]+\.tsx?$/, code: 'createFileRoute(' },
    // Blanks replace the path, so that positions and the source map stay right.
    handler: (code) => ({
      code: code.replace(
        /(createFileRoute\()((["'])[^"']*\3)/,
        (_, call: string, path: string) => call + ' '.repeat(path.length),
      ),
      map: null,
    }),
  },
})
