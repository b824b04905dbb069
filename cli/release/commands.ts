import { type Command, Option } from 'commander'
import { releaseTypes } from '../../contract/device/manifest-fields'
import { componentDifferences } from '../../contract/updates/components'
import { compareReleases } from '../../contract/updates/release-comparison'
import { reopenRelease } from '../../contract/updates/release-signing'
import { deleteRelease, type Release, releaseStates, revokeRelease } from '../../contract/updates/releases'
import { online, positive } from '../core/command'
import { confirm } from '../core/confirm'
import { exitCodes } from '../core/exit-codes'
import { formatBytes, note, table } from '../core/print'
import { getRelease, listReleases } from './find'
import { fileTable, releaseFacts, releaseTable } from './print'
import { push } from './push'

type ListOptions = { state?: Release['state']; kind?: Release['type']; model?: string; search?: string; limit: number }

const list = (parent: Command) => {
  const command = parent
    .command('list')
    .description('list releases, newest version first')
    .addOption(new Option('--state <state>').choices(releaseStates))
    .addOption(new Option('--kind <kind>').choices(releaseTypes))
    .option('--model <model>', 'hardware model')
    .option('--search <text>', 'text in the name or version')
    .option('--limit <number>', 'how many', positive, 50)
  online<[], ListOptions>(command, async (context, { state, kind, model, search, limit }) => {
    const filter = {
      ...(state && { state }),
      ...(kind && { type: kind }),
      ...(model !== undefined && { hardware_model: model }),
      ...(search !== undefined && { q: search }),
    }
    const found = await listReleases(context, filter, limit)
    context.show(found, () => releaseTable(found))
  })
}

const show = (parent: Command) => {
  const command = parent
    .command('show')
    .description('show a release with its files')
    .argument('<release>', 'id or version number')
  online<[string], object>(command, async (context, _, named) => {
    const found = await getRelease(context, named)
    context.show(found, () => `${releaseFacts(found)}\n${fileTable(found)}`)
  })
}

const diff = (parent: Command) => {
  const command = parent
    .command('diff')
    .description('show what changes on a device from one release to another')
    .argument('<before>', 'id or version number')
    .argument('<after>', 'id or version number')
  online<[string, string], object>(command, async (context, _, first, second) => {
    const [before, after] = [await getRelease(context, first), await getRelease(context, second)]
    const compared = compareReleases(before, after)
    const components = await context.api.call(componentDifferences, { releaseId: after.id }, { query: { before: before.id } })
    context.show({ ...compared, components }, () =>
      [
        table(
          ['Field', 'Before', 'After'],
          compared.fields.map((row) => [row.field, row.before, row.after]),
        ),
        table(
          ['File', 'Change', 'Before', 'After'],
          compared.files.map(({ path, change, before: old, after: fresh }) => [
            path,
            change,
            old && formatBytes(old.size),
            fresh && formatBytes(fresh.size),
          ]),
        ),
        ...(components.differences.length === 0
          ? []
          : [
              table(
                ['Component', 'Change', 'Before', 'After'],
                components.differences.map(({ change, before: old, after: fresh }) => [
                  (fresh ?? old)?.name,
                  change,
                  old?.version,
                  fresh?.version,
                ]),
              ),
            ]),
      ].join('\n'),
    )
  })
}

const revoke = (parent: Command) => {
  const command = parent
    .command('revoke')
    .description('revoke a release: devices no longer get it, and its rollouts are cancelled')
    .argument('<release>', 'id or version number')
    .requiredOption('--reason <text>', 'recorded in the audit log')
  online<[string], { reason: string }>(command, async (context, { reason }, named) => {
    const { id: releaseId } = await getRelease(context, named)
    const revoked = await context.api.call(revokeRelease, { releaseId }, { body: { reason } })
    context.show(revoked, () => releaseFacts(revoked))
  })
}

const reopen = (parent: Command) => {
  const command = parent
    .command('reopen')
    .description('discard the manifest of a release that nobody has signed: it is a draft again')
    .argument('<release>', 'id or version number')
  online<[string], object>(command, async (context, _, named) => {
    const { id: releaseId } = await getRelease(context, named)
    const reopened = await context.api.call(reopenRelease, { releaseId })
    context.show(reopened, () => releaseFacts(reopened))
  })
}

const remove = (parent: Command) => {
  const command = parent
    .command('delete')
    .description('ask, and delete a release that nobody has signed, with its files')
    .argument('<release>', 'id or version number')
    .option('--yes', 'delete it without asking')
  online<[string], { yes?: boolean }>(command, async (context, { yes }, named) => {
    const found = await getRelease(context, named)
    if (!(await confirm(`Delete ${found.name}, version ${found.version}, with its files?`, yes))) {
      note('Nothing was changed')
      return exitCodes.failed
    }
    await context.api.call(deleteRelease, { releaseId: found.id }, { ifMatch: found.revision })
    context.show({ id: found.id, deleted: true }, () => `Deleted ${found.name}, version ${found.version}\n`)
    return exitCodes.done
  })
}

export const releaseCommands = (program: Command): void => {
  const parent = program.command('release').description('releases')
  for (const add of [push, list, show, diff, reopen, remove, revoke]) add(parent)
}
