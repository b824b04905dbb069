import type { Reporter, TestModule } from 'vitest/node'
import { forgetModels, modelTable } from '../model/report'

/** Prints the table of the charts and the final line of the whole run: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunStart() {
    forgetModels()
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>) {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      // A file that fails before its first test has no tests to count: it counts as one failure.
      if (module.errors().length > 0) count.failed += 1
      for (const test of module.children.allTests()) {
        const state = test.result().state
        count[state === 'pending' ? 'failed' : state] += 1
      }
    }
    const table = modelTable()
    if (table !== undefined) process.stdout.write(`\n${table}\n`)
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
  }
}
