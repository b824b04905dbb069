import type { Reporter, TestModule } from 'vitest/node'
import { stripVTControlCharacters } from 'node:util'
import { onlyInFull } from '../e2e/only-in-full'
import { forgetModels, modelTable } from '../model/report'
import { isFull } from './counts'
import { watchMachine } from './machine-load'

type Failure = { message: string; stack?: string }

/** The beginning of an error's message, and the place in this project that it came from. */
const summarize = ({ message, stack = '' }: Failure): string => {
  const place = stack
    .split('\n')
    .find((line) => /\b(tests|src|server|agent|cli|machines)\//.test(line) && !line.includes('node_modules'))
  const lines = stripVTControlCharacters(message).split('\n').slice(0, 20)
  return [...lines, ...(place === undefined ? [] : [place.trim()])].map((line) => `    ${line.slice(0, 1200)}`).join('\n')
}

/**
 * Prints the table of the charts, how busy the machine was, the files that did not run, each failed test with its errors, and the
 * final line of the whole run: `N passed, N failed, N skipped`.
 * A log of which only the end is kept still says what failed.
 */
export default class ClosingLine implements Reporter {
  #describeMachine = () => ''

  onTestRunStart() {
    this.#describeMachine = watchMachine()
    forgetModels()
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: readonly Failure[]) {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    const failed = errors.map((error) => `outside of the tests\n${summarize(error)}`)
    for (const module of modules) {
      // A file that fails before its first test has no tests to count: it counts as one failure.
      if (module.errors().length > 0) {
        count.failed += 1
        failed.push([module.relativeModuleId, ...module.errors().map(summarize)].join('\n'))
      }
      for (const test of module.children.allTests()) {
        const { state, errors: found = [] } = test.result()
        const counted = state === 'pending' ? 'failed' : state
        count[counted] += 1
        if (counted === 'failed')
          failed.push([`${module.relativeModuleId} > ${test.fullName}`, ...found.map(summarize)].join('\n'))
      }
    }
    const table = modelTable()
    if (table !== undefined) process.stdout.write(`\n${table}\n`)
    process.stdout.write(`\n${this.#describeMachine()}\n`)
    if (!isFull) process.stdout.write(`\nonly in npm run test:full: ${Object.keys(onlyInFull).join(', ')}\n`)
    if (failed.length > 0) process.stdout.write(`\nfailed:\n${failed.join('\n')}\n`)
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
  }
}
