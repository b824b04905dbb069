import { type CurrentAccessToken, currentAccessToken } from '../../contract/accounts/access-tokens'
import { type Api, connect } from './api'
import { Failed } from './errors'
import { type Connection, readOrigin, readToken } from './settings'

/** What a command works with. */
export type Context = {
  api: Api
  /** The token of this call, with its project. */
  current: () => Promise<CurrentAccessToken>
  projectId: () => Promise<string>
  /** Prints JSON with `--json`, otherwise the text for people. */
  show: (value: unknown, text: () => string) => void
  isJson: boolean
}

export type CommonOptions = Connection & { json?: boolean }

export const showAs =
  (isJson: boolean): Context['show'] =>
  (value, text) =>
    void process.stdout.write(isJson ? `${JSON.stringify(value, null, 2)}\n` : text())

export const openContext = (options: CommonOptions): Context => {
  const api = connect(readOrigin(options), readToken())
  const wanted = options.project ?? process.env['TEASEL_PROJECT']
  const read = async () => {
    const current = await api.call(currentAccessToken, {})
    const { id, name } = current.project
    // A token belongs to one project: another one is a mistake in the configuration of a pipeline.
    if (wanted !== undefined && wanted !== '' && wanted !== id && wanted !== name)
      throw new Failed(`--project: the token belongs to the project ${name} (${id}), not to ${wanted}`)
    return current
  }
  let known: Promise<CurrentAccessToken> | undefined
  const current = () => (known ??= read())
  const isJson = options.json === true
  return { api, current, projectId: async () => (await current()).project.id, show: showAs(isJson), isJson }
}
