import { array, boolean, enums, type Infer, integer, number, optional, string, type, unknown } from 'superstruct'
import { boundedRecord } from '../core/bounded'
import { boundedOneOf } from '../core/bounded-one-of'
import { integerParam } from '../core/rules'

// hawkBit's Direct Device Integration API as SWUpdate, rauc-hawkbit-updater and Zephyr use it. Clients may send more fields.

const href = type({ href: string() })

export const Root = type({
  config: type({ polling: type({ sleep: string() }) }),
  _links: type({
    cancelAction: optional(href),
    deploymentBase: optional(href),
    configData: optional(href),
    installedBase: optional(href),
  }),
})
export type Root = Infer<typeof Root>

export const Artifact = type({
  filename: string(),
  size: integer(),
  hashes: type({ sha1: string(), md5: string(), sha256: string() }),
  _links: type({ download: href, 'download-http': href, 'md5sum-http': href }),
})
export type Artifact = Infer<typeof Artifact>

export const DeploymentBase = type({
  id: string(),
  deployment: type({
    download: string(),
    update: string(),
    chunks: array(type({ part: string(), version: string(), name: string(), artifacts: array(Artifact) })),
  }),
  actionHistory: optional(type({ status: string(), messages: array(string()) })),
})
export type DeploymentBase = Infer<typeof DeploymentBase>

/**
 * `actionHistory`: the number of messages; -1 for all. `c` is in the links to deployments, as in those of hawkBit: the Python client
 * `rauc-hawkbit` finds the action in front of it.
 */
export const DeploymentQuery = type({
  actionHistory: optional(integerParam('actionHistory', -1, 2_147_483_647)),
  c: optional(string()),
})

export const CancelAction = type({ id: string(), cancelAction: type({ stopId: string() }) })

export const executions = [
  'closed',
  'proceeding',
  'canceled',
  'scheduled',
  'rejected',
  'resumed',
  'downloaded',
  'download',
] as const
export const finishes = ['success', 'failure', 'none'] as const

export const Feedback = type({
  status: type({
    execution: enums(executions),
    result: optional(type({ finished: optional(enums(finishes)), progress: optional(unknown()) })),
    code: optional(unknown()),
    details: optional(boundedOneOf([array(unknown()), string()])),
  }),
})
export type Feedback = Infer<typeof Feedback>

const values = boundedRecord(string(), unknown(), 1000)
export const ConfigData = type({ mode: optional(enums(['merge', 'replace', 'remove'])), data: values })
export type ConfigData = Infer<typeof ConfigData>

export const InstalledVersion = type({ name: string(), version: string() })
export const AutoConfirm = type({ autoConfirm: type({ active: boolean() }) })
export const Artifacts = array(Artifact)

/** Not a dot or two: clients shorten addresses with them. */
export const controllerIdForm = /^(?!\.{1,2}$)(?!.*[/?#%])[\x21-\x7e]{1,128}$/
export const tenantForm = /^(?!\.{1,2}$)[\w.~-]{1,64}$/
export const actionIdForm = /^[1-9]\d{0,9}$/
export const artifactNameForm = /^(?!\.{1,2}$)[A-Za-z0-9._+-]{1,64}$/
/** After the name of a file: its MD5 sum as a text. */
export const md5Suffix = '.MD5SUM'
export const artifactPathForm = /^(?!\.{1,2}$)[A-Za-z0-9._+-]{1,64}(?:\.MD5SUM)?$/
/** What a progress may be: percent, or `{ of, cnt }`. */
export const Counted = type({ of: number(), cnt: number() })
