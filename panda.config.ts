import { defineConfig } from '@pandacss/dev'
import { trimmed } from './src/theme/base-preset'
import { globalCss } from './src/theme/global-css'
import { keyframes } from './src/theme/keyframes'
import { recipes, slotRecipes } from './src/theme/recipes'
import { textStyles } from './src/theme/text-styles'
import { tokens } from './src/theme/tokens'

/** Only the utilities and conditions come from Panda's base preset: every token is defined here. */
export default defineConfig({
  presets: ['@pandacss/preset-base'],
  eject: true,
  preflight: false,
  strictTokens: true,
  logLevel: 'warn',
  outdir: 'styled-system',
  include: ['./src/**/*.{ts,tsx}', './tests/browser/**/*.tsx'],
  // The inspector is not part of the build, so its styles are excluded.
  exclude: [
    './src/**/*.test.ts',
    './src/theme/**',
    './src/build/**',
    ...(process.env.NODE_ENV === 'production' ? ['./src/app/inspector/**'] : []),
  ],
  globalCss,
  hooks: {
    'preset:resolved': ({ name, preset }) => (name === '@pandacss/preset-base' ? trimmed(preset) : preset),
  },
  conditions: {
    // Colors need no condition: each token has a value for both themes.
    dark: '[data-theme=dark] &',
  },
  theme: {
    // §9: breakpoints.
    breakpoints: { xs: '320px', sm: '640px', md: '768px', lg: '1024px', xl: '1280px', '2xl': '1536px' },
    tokens,
    textStyles,
    keyframes,
    recipes,
    slotRecipes,
  },
})
