import type { Reporter, TestModule } from 'vitest/node'
import { forgetModels, modelTable } from '../model/report'

/**
 * Prints the table of the charts, each failed test and the final line of the whole run: `N passed, N failed, N skipped`. A log of which
 * only the end is kept still names what failed.
 */
export default class ClosingLine implements Reporter {
  onTestRunStart() {
    forgetModels()
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<{ message: string }>) {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    const failed = errors.map(({ message }) => message)
    for (const module of modules) {
      // A file that fails before its first test has no tests to count: it counts as one failure.
      if (module.errors().length > 0) {
        count.failed += 1
        failed.push(module.relativeModuleId)
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        const counted = state === 'pending' ? 'failed' : state
        count[counted] += 1
        if (counted === 'failed') failed.push(`${module.relativeModuleId} > ${test.fullName}`)
      }
    }
    const table = modelTable()
    if (table !== undefined) process.stdout.write(`\n${table}\n`)
    if (failed.length > 0) process.stdout.write(`\nfailed:\n${failed.join('\n')}\n`)
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
  }
}
