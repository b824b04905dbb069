import type { Reporter, TestModule } from 'vitest/node'

/** Prints the one line that says how the whole run went: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>) {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      // A file that breaks before its first test has no tests to count: it counts as one failure.
      if (module.errors().length > 0) count.failed += 1
      for (const test of module.children.allTests()) {
        const state = test.result().state
        count[state === 'pending' ? 'failed' : state] += 1
      }
    }
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
  }
}
