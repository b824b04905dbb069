import type { Target } from '../../contract/updates/rollout-plans'
import { Usage } from '../core/errors'

export const targetHelp =
  'all, tag=NAME, any-tag=NAME, no-tag=NAME, model=ID, version=NUMBER, device=ID, failed-in=ROLLOUT or search=TEXT; may be repeated, the last two not'

const lists = { tag: 'tags_all', 'any-tag': 'tags_any', 'no-tag': 'tags_none', model: 'models', device: 'device_ids' } as const
const isList = (word: string): word is keyof typeof lists => word in lists

/** The target of `--target` options; the server says which devices it selects. */
export const readTarget = (given: readonly string[]): Target => {
  const target: Target = {}
  for (const one of given) {
    const [, word = '', value = ''] = /^([\w-]+)(?:=(.+))?$/s.exec(one) ?? []
    if (word === 'all' && value === '') target.everything = true
    else if (isList(word) && value !== '') target[lists[word]] = [...(target[lists[word]] ?? []), value]
    else if (word === 'version' && /^\d{1,15}$/.test(value)) target.versions = [...(target.versions ?? []), Number(value)]
    else if (word === 'failed-in' && value !== '' && target.failed_in === undefined) target.failed_in = value
    else if (word === 'search' && value !== '' && target.query === undefined) target.query = value
    else throw new Usage(`--target ${one}: use ${targetHelp}`)
  }
  return target
}
