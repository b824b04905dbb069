import { readBootKeys } from '../formats/fit'
import { checkFit } from './common'
import type { Findings } from './findings'

export const checkUBootFit = async (findings: Findings): Promise<void> => {
  const part = findings.first('device_tree')
  const keys = part && (await findings.attempt('device_tree', part, () => readBootKeys(part.reader)))
  if (part && keys) {
    findings.describe(
      part,
      'Devicetree of U-Boot',
      keys.map(({ name, algorithm, required, offset }) => ({
        name: `Key ${name}`,
        value: `${algorithm}, required ${required ?? 'no'}`,
        offset,
      })),
    )
    const usable = keys.filter(({ key }) => key !== null)
    if (
      findings.rule('key_node', usable.length > 0, [`${usable.length} keys below /signature`, 'No key below /signature'], part)
    ) {
      const required = usable.filter((it) => it.required === 'conf')
      const [first] = usable
      const range = first && { offset: first.offset, length: 4 }
      const has = usable.some((it) => it.required === 'image') ? '"image"' : 'nothing'
      const texts: [string, string] = [
        'A key is required for configurations (required = "conf")',
        `No key has required = "conf" (found ${has}): images of different versions can be mixed`,
      ]
      findings.rule('required_conf', required.length > 0, texts, part, range)
    }
    for (const { key, offset } of keys) findings.checkKey(part, key, { offset, length: 4 })
  }
  const image = findings.first('fit_image')
  if (image) await checkFit(findings, image, [...(keys ?? []).flatMap(({ key }) => key ?? []), ...findings.keys], true)
}
