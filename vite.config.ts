import { availableParallelism } from 'node:os'
import pandacss from '@pandacss/dev/postcss'
import react from '@vitejs/plugin-react'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { checkFirstScreen } from './src/build/first-screen.ts'
import { onlyInFull } from './tests/e2e/only-in-full.ts'
import { isFull } from './tests/support/counts.ts'
import { within } from './tests/support/machine-load.ts'
import { earlyTheme } from './src/build/early-theme.ts'
import { repositoryPath } from './src/build/repository-path.ts'
import { plainRecipes } from './src/build/plain-recipes.ts'
import { staticCss } from './src/build/static-css.ts'
import { dropSummaries } from './src/build/drop-summaries.ts'
import { staticLabels } from './src/build/static-labels.ts'
import { twoSheets } from './src/build/two-sheets.ts'

const alias = {
  'styled-system': repositoryPath('styled-system'),
  // The shim for versions of React without this hook.
  'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
  'use-sync-external-store/shim': 'react',
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

/** Each step prints its duration; most of it is the extraction of the styles. */
const checks = { bundlerTimings: false }

/**
 * How many test files run at a time: one waits for its database, its hosts or its browser about a third of its time. At most four,
 * since a container may have fewer cores than it reports, and the ports of tests/support/free-port.ts are divided among four.
 * The projects run in the order of their names: the short node files are last, so that no lane waits long for another.
 */
const lanes = Math.min(Math.max(Math.floor(availableParallelism() / 2), 2), 4)

const suitesOnBuckets = ['server/core/storage/s3*.test.ts', 'server/updates/uploads/uploads-in-buckets.test.ts']

/** The Node programs, each one file: `vite build --mode <name>`. */
const programs: Readonly<Record<string, { folder: string; input: Record<string, string> }>> = {
  server: {
    folder: 'server',
    input: {
      main: repositoryPath('server/main.ts'),
      // Started by their paths as threads.
      'hashing-program': repositoryPath('server/updates/uploads/hashing-program.mjs'),
      'reading-program': repositoryPath('server/reading-program.ts'),
    },
  },
  agent: { folder: 'agent', input: { 'teasel-agent': repositoryPath('agent/main.ts') } },
  fleet: { folder: 'agent', input: { fleet: repositoryPath('agent/fleet.ts') } },
  cli: { folder: 'cli', input: { teasel: repositoryPath('cli/main.ts') } },
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
        rolldownOptions: {
          checks,
          input: program.input,
          output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash:7].mjs' },
        },
      },
      // The programs for devices and people are one file without an install; the server keeps its packages.
      ssr: mode === 'server' ? {} : { noExternal: true },
    }
  return {
    plugins: [
      router(),
      react(),
      staticLabels(repositoryPath('src')),
      checkFirstScreen(),
      earlyTheme(),
      plainRecipes(),
      dropSummaries(),
      staticCss(repositoryPath('styled-system/css/css.mjs')),
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
      // No warnings by size on disk: tests/budget limits the compressed bytes of each screen.
      chunkSizeWarningLimit: Infinity,
      rolldownOptions: {
        checks,
        treeshake: { moduleSideEffects: [{ test: /\/styled-system\//, sideEffects: false }] },
        output: {
          // The first screen is one file: compressed as a whole it is a tenth smaller than in pieces, and needs one request.
          codeSplitting: {
            groups: [
              { name: 'first', tags: ['$initial'] },
              // One file for the rules of bodies: the first script lists each file of a page.
              { name: 'bodies', test: /\/contract\/core\/(bounded|bounded-one-of|field-errors)\.ts$/ },
              // Each of these is loaded with the others of its group, or not at all.
              { name: 'change', test: /\/(useMutation|mutationObserver)\.js$/ },
              {
                name: 'overlay',
                test: /\/@zag-js\/(dismissable|interact-outside|presence|dom-query\/dist\/query)|\/@ark-ui\/react\/dist\/(components\/(portal|presence)|utils\/create-split-props)/,
              },
            ],
          },
          // The first script lists every other one: they have no names, which the manifest has, and the hash is short, of few letters.
          chunkFileNames: 'assets/[hash:7].js',
          hashCharacters: 'hex',
        },
      },
    },
    test: {
      reporters: ['default', repositoryPath('tests/support/closing-line.ts')],
      retry: 0,
      maxWorkers: lanes,
      // A test file leaves nothing behind that another could see, so each process loads the server's modules once.
      isolate: false,
      // Polled conditions may take long on a loaded machine: the default of a second is too short. All limits grow with its load.
      expect: { poll: { timeout: within(60_000) } },
      projects: [
        {
          extends: true,
          test: {
            name: 'node',
            environment: 'node',
            include: [
              '{contract,server,agent,cli,src}/**/*.test.ts',
              'tests/{api,budget,support}/**/*.test.ts',
              'tests/*.test.ts',
            ],
            exclude: suitesOnBuckets,
            globalSetup: ['tests/support/postgres.ts'],
            testTimeout: within(300_000),
            hookTimeout: within(300_000),
          },
        },
        {
          extends: true,
          // These load the suites of the directory once more.
          test: {
            name: 'buckets',
            environment: 'node',
            include: suitesOnBuckets,
            isolate: true,
            globalSetup: ['tests/support/postgres.ts'],
            testTimeout: within(300_000),
            hookTimeout: within(300_000),
          },
        },
        {
          extends: true,
          // Calls every endpoint once more, through a proxy that refuses what the OpenAPI document does not describe.
          test: {
            name: 'prism',
            environment: 'node',
            include: ['tests/api/contract.test.ts'],
            isolate: true,
            env: { TEASEL_THROUGH_PRISM: '1' },
            globalSetup: ['tests/support/postgres.ts'],
            testTimeout: within(300_000),
            hookTimeout: within(300_000),
          },
        },
        {
          extends: true,
          // The charts run without a page and without a database.
          test: {
            name: 'models',
            environment: 'node',
            include: ['machines/**/*.test.ts', 'tests/model/**/*.test.ts'],
            testTimeout: within(300_000),
          },
        },
        {
          extends: true,
          // All at once: a package found in the middle of a run would load a second copy of React.
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
            isolate: true,
            include: ['tests/browser/**/*.test.tsx'],
            // More than a polled condition may take.
            testTimeout: within(90_000),
            hookTimeout: within(90_000),
            browser: {
              enabled: true,
              headless: true,
              // Only one page has the focus.
              fileParallelism: false,
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
            exclude: isFull ? [] : Object.keys(onlyInFull),
            globalSetup: ['tests/support/postgres.ts', 'tests/e2e/support/kept.ts'],
            // As long as several waits in a row on a machine that stands still: the limit of one wait is reported before it.
            expect: { poll: { timeout: within(120_000) } },
            testTimeout: within(600_000),
            hookTimeout: within(600_000),
          },
        },
      ],
    },
  }
})
