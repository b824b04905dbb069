import type { Plugin } from 'vite'
import { repositoryPath } from './repository-path.ts'
import { strangersAmong } from './two-sheets.ts'

const roots = [repositoryPath('index.html'), repositoryPath('src/features/projects/projects-page.tsx')]

const reexport =
  /^["']use \w+["'];?|^(?:import|export)\b[^;'"]*\bfrom\s*["'][^"']+["'];?|^export\s*\{[^}]*\};?|\/\*[\s\S]*?\*\/|\/\/.*$/gm
/** A module that only re-exports others. */
const isList = (code: string) => code.replace(reexport, '').trim() === ''
const importedNames = (code: string) =>
  [...code.matchAll(/^import\b[^;'"]*?\{([^}]*)\}/gm)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().split(/\s/)[0] ?? '')

/**
 * The first screen is one file: compressed as a whole it is a tenth smaller than in chunks, and its page needs no further
 * request. `holds` knows its modules once the graph is complete; of a re-exporting module it takes the modules of the imported
 * names. The build fails when one of them uses a recipe of the second style sheet.
 */
export const firstScreen = (): { plugin: Plugin; holds: (id: string) => boolean } => {
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
      for (const id of roots) visit(id, [])
      const strangers = strangersAmong(modules)
      if (strangers.length > 0) this.error(`The first screen needs ${strangers.join(', ')}: name them in src/build/two-sheets.ts`)
    },
  }
  return { plugin, holds: (id) => modules.has(id) }
}
