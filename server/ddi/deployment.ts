import * as contract from '../../contract/ddi/endpoints'
import { type Artifact, artifactNameForm, type DeploymentBase } from '../../contract/ddi/api'
import type { Deps } from '../core/deps'
import type { Tx } from '../core/database/tx'
import type { AssetRow } from '../updates/releases/assets/repository'
import { clientHashesOf } from '../updates/releases/assets/integrity'
import { type Action, listAssets, listMessages } from './actions.repository'
import type { LinkTo } from './links'

const served: readonly AssetRow['kind'][] = ['payload', 'rootfs', 'archive', 'delta', 'bundle']

/** The files of a release that its clients download. */
export const filesOf = async (tx: Tx, releaseId: string): Promise<AssetRow[]> =>
  (await listAssets(tx, releaseId)).filter(({ kind, name }) => served.includes(kind) && artifactNameForm.test(name))

type Listed = { deps: Deps; tx: Tx; link: LinkTo }

/** The files of an action with their addresses. Zephyr, and SWUpdate without TLS, read only the link of HTTP. */
export const artifactsOf = async ({ deps, tx, link }: Listed, { action, release }: Action): Promise<Artifact[]> => {
  const files = await filesOf(tx, release.id)
  return Promise.all(
    files.map(async (file) => {
      const address = (name: string) => ({
        href: link(contract.artifact, { actionId: String(action.id), artifactName: name }),
      })
      const { sha1, md5 } = await clientHashesOf(deps, file)
      return {
        filename: file.name,
        size: file.size,
        hashes: { sha1, md5, sha256: file.sha256 ?? '' },
        _links: {
          download: address(file.name),
          'download-http': address(file.name),
          'md5sum-http': address(`${file.name}.MD5SUM`),
        },
      }
    }),
  )
}

const mostMessages = 100

const historyOf = async (tx: Tx, found: Action, asked: number) => {
  const rows = await listMessages(tx, found, asked < 0 ? mostMessages : Math.min(asked, mostMessages))
  return {
    status: found.update.state.toUpperCase(),
    messages: rows.map(({ type, message }) => message ?? type.replaceAll('_', ' ')),
  }
}

/** The deployment of an action. Zephyr requires a part named bApp, the others ignore the name. */
export const deploymentOf = async (
  listed: Listed,
  found: Action,
  query: { actionHistory?: number | undefined },
): Promise<DeploymentBase> => {
  const { release, action } = found
  const { actionHistory: asked = 0 } = query
  return {
    id: String(action.id),
    deployment: {
      download: 'forced',
      update: 'forced',
      chunks: [
        {
          part: 'bApp',
          version: release.displayVersion ?? String(release.version),
          name: release.name,
          artifacts: await artifactsOf(listed, found),
        },
      ],
    },
    ...(asked !== 0 && { actionHistory: await historyOf(listed.tx, found, asked) }),
  }
}
