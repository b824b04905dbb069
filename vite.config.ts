import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pandacss from '@pandacss/dev/postcss'
import react from '@vitejs/plugin-react'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import { playwright } from '@vitest/browser-playwright'
import { minifySync, type Plugin } from 'vite'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { staticLabels } from './server/start/static-labels.mjs'
import { staticCss } from './src/build/static-css'
import { strangersAmong, twoSheets } from './src/theme/two-sheets'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const alias = {
  // React has had it since 18: the shim is dead weight.
  'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
  'styled-system': here('./styled-system'),
}

const router = () =>
  tanstackRouter({
    target: 'react',
    routesDirectory: './src/routes',
    generatedRouteTree: './src/route-tree.gen.ts',
    quoteStyle: 'single',
    semicolons: false,
    autoCodeSplitting: false,
    disableLogging: true,
  })

const reexport =
  /^["']use \w+["'];?|^(?:import|export)\b[^;'"]*\bfrom\s*["'][^"']+["'];?|^export\s*\{[^}]*\};?|\/\*[\s\S]*?\*\/|\/\/.*$/gm
/** A module that only passes on what others make. */
const isList = (code: string) => code.replace(reexport, '').trim() === ''
const importedNames = (code: string) =>
  [...code.matchAll(/^import\b[^;'"]*?\{([^}]*)\}/gm)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().split(/\s/)[0] ?? '')

/**
 * The first screen is one file: compressed as a whole it is a tenth smaller than in pieces, and its page needs no request of
 * its own. `holds` knows its modules once the graph is whole; of a list of modules it takes those whose names are asked for.
 */
const firstScreen = () => {
  const modules = new Set<string>()
  const plugin: Plugin = {
    name: 'first-screen',
    apply: 'build',
    buildEnd() {
      const visit = (id: string, names: readonly string[]) => {
        const module = this.getModuleInfo(id)
        const list = isList(module?.code ?? '')
        if (!module || (modules.has(id) && !list)) return
        modules.add(id)
        const asked = list ? names : importedNames(module.code ?? '')
        for (const next of module.importedIds)
          if (!list || this.getModuleInfo(next)?.exports?.some((name) => asked.includes(name))) visit(next, asked)
      }
      visit(here('./index.html'), [])
      visit(here('./src/features/projects/projects-page.tsx'), [])
      const strangers = strangersAmong(modules)
      if (strangers.length > 0) this.error(`The first screen needs ${strangers.join(', ')}: name them in src/theme/two-sheets.ts`)
    },
  }
  return { plugin, holds: (id: string) => modules.has(id) }
}

/** The chosen theme is worn before the first paint: a script of its own, by its hash, that the document waits for. */
const firstTheme = (): Plugin => {
  const file = here('./src/theme/first-theme.js')
  const { code } = minifySync(file, readFileSync(file, 'utf8'))
  const fileName = `assets/first-theme-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
  return {
    name: 'first-theme',
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head' }],
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: code })
    },
    configureServer: ({ middlewares }) => {
      middlewares.use(`/${fileName}`, (_, response) => response.setHeader('content-type', 'text/javascript').end(code))
    },
  }
}

const helper = JSON.stringify(here('./src/theme/plain-recipe.ts'))
const imports = (maker: string) => `import { ${maker} } from ${helper}\n`

/** What Panda writes for a recipe can do compound variants and more; one that has none needs a line of it, and all are such. */
const plainRecipes = (): Plugin => ({
  name: 'plain-recipes',
  apply: 'build',
  transform: (code, id) => {
    if (!/\/styled-system\/recipes\/[\w-]+\.mjs$/.test(id)) return undefined
    const [, name = ''] = /export const (\w+) =/.exec(code) ?? []
    const [, pairs] = /SlotNames = (\[[\s\S]*?\n\])\n/.exec(code) ?? []
    if (pairs !== undefined && code.includes('VariantKeys = []\n')) {
      const slots: [string, string][] = JSON.parse(pairs)
      const [family = ''] = slots[0]?.[1].split('__') ?? []
      const names = slots.map(([slot]) => slot).join(' ')
      return `${imports('slotRecipe')}export const ${name} = /* @__PURE__ */ slotRecipe('${family}', '${names}')\n`
    }
    const [, family, defaults = ''] = /createRecipe\('([\w-]+)', (\{[^}]*\}), \[\]\)/.exec(code) ?? []
    const [, variants = ''] = /VariantMap = (\{[\s\S]*?\})\n/.exec(code) ?? []
    if (family === undefined) return undefined
    const keys = JSON.stringify(Object.keys(JSON.parse(variants)))
    return `${imports('recipe')}export const ${name} = /* @__PURE__ */ recipe('${family}', ${keys}, ${defaults})\n`
  },
})

/** The path in a route's file is for its types; the tree says it again, and every byte of it is in the first script. */
const namelessRoutes = (): Plugin => ({
  name: 'nameless-routes',
  apply: 'build',
  enforce: 'post',
  transform: (code, id) =>
    id.startsWith(here('./src/routes/')) ? code.replace(/createFileRoute\((["'])[^"']*\1\)/, 'createFileRoute()') : undefined,
})

/** The Node programs, each one file: `vite build --mode <name>`. */
const programs: Readonly<Record<string, { folder: string; input: Record<string, string> }>> = {
  server: { folder: 'server', input: { main: here('./server/main.ts') } },
  agent: { folder: 'agent', input: { 'teasel-agent': here('./agent/main.ts') } },
  fleet: { folder: 'agent', input: { fleet: here('./agent/fleet.ts') } },
}

/** `vite build` makes the console and runs the tests. */
export default defineConfig(({ mode }): ViteUserConfig => {
  const program = programs[mode]
  if (program)
    return {
      build: {
        ssr: true,
        target: 'node20',
        sourcemap: true,
        emptyOutDir: mode === 'server',
        outDir: `dist/${program.folder}`,
        copyPublicDir: false,
        rolldownOptions: { input: program.input, output: { entryFileNames: '[name].mjs' } },
      },
      // What runs on a device is one file without an install; the server keeps its packages.
      ssr: mode === 'server' ? {} : { noExternal: true },
    }
  const first = firstScreen()
  return {
    plugins: [
      router(),
      react(),
      staticLabels(here('./src')),
      first.plugin,
      firstTheme(),
      plainRecipes(),
      staticCss(here('./styled-system/css/css.mjs')),
      namelessRoutes(),
    ],
    resolve: { alias },
    css: { postcss: { plugins: [pandacss(), twoSheets()] } },
    build: {
      outDir: 'dist/console',
      sourcemap: true,
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: true,
      rolldownOptions: {
        treeshake: { moduleSideEffects: [{ test: /\/styled-system\//, sideEffects: false }] },
        output: {
          codeSplitting: { groups: [{ name: 'first', test: first.holds }] },
          // The first script names every other one: only what somebody may look for has a name, and a hash is no longer than it must be.
          chunkFileNames: ({ isDynamicEntry }) => `assets/${isDynamicEntry ? '[name]-' : ''}[hash:7].js`,
        },
      },
    },
    test: {
      reporters: ['default', here('./tests/support/closing-line.ts')],
      retry: 0,
      projects: [
        {
          extends: true,
          test: {
            name: 'node',
            environment: 'node',
            include: ['{contract,server,agent,src}/**/*.test.ts', 'tests/{api,budget}/**/*.test.ts', 'tests/*.test.ts'],
            globalSetup: ['tests/support/postgres.ts'],
            testTimeout: 60_000,
            hookTimeout: 60_000,
          },
        },
        {
          extends: true,
          // The charts without a page: no database for them.
          test: {
            name: 'models',
            environment: 'node',
            include: ['machines/**/*.test.ts', 'tests/model/**/*.test.ts'],
            testTimeout: 60_000,
          },
        },
        {
          extends: true,
          // All at once: a package found in the middle of a run would bring a second React with it.
          optimizeDeps: {
            include: [
              'react',
              'react/jsx-dev-runtime',
              'react-dom/client',
              '@tanstack/react-query',
              '@tanstack/react-router',
              '@xstate/react',
              'xstate',
              'ofetch',
              'superstruct',
              'tus-js-client',
              'axe-core',
              '@codemirror/commands',
              '@codemirror/lang-json',
              '@codemirror/language',
              '@codemirror/state',
              '@codemirror/view',
              '@lezer/highlight',
            ],
          },
          test: {
            name: 'browser',
            include: ['tests/browser/**/*.test.tsx'],
            browser: {
              enabled: true,
              headless: true,
              screenshotFailures: false,
              provider: playwright({
                launchOptions: {
                  executablePath: process.env.TEASEL_CHROMIUM ?? '/usr/bin/chromium',
                  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
                },
              }),
              instances: [{ browser: 'chromium' }],
            },
          },
        },
        {
          extends: true,
          test: {
            name: 'e2e',
            environment: 'node',
            include: ['tests/e2e/**/*.test.ts'],
            fileParallelism: false,
            testTimeout: 120_000,
            hookTimeout: 180_000,
          },
        },
      ],
    },
  }
})
