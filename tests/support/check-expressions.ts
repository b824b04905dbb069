/** `npx tsx tests/support/check-expressions.ts`: asks recheck for each new expression, and writes those that it calls safe. */
import { writeFileSync } from 'node:fs'
import { askRecheck } from './ask-recheck'
import { isMade, listExpressions, readSafeExpressions, safeExpressionsPath } from './expressions'
import { harmless } from './harmless-expressions'

const all = await listExpressions()
const safe = new Set(readSafeExpressions().filter((expression) => all.has(expression)))
for (const [expression, files] of all) {
  if (safe.has(expression) || harmless.has(expression)) continue
  const { status, attack = '' } = isMade(expression) ? { status: 'made at run time' } : await askRecheck(expression)
  if (status === 'safe') safe.add(expression)
  else console.log(`${expression} in ${files.join(', ')}: ${status} ${attack}`)
}
writeFileSync(safeExpressionsPath, `${[...safe].toSorted().join('\n')}\n`)
