import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { rebootRules, releaseTypes } from '../../contract/device/manifest-fields'
import { finalizeRelease } from '../../contract/updates/release-signing'
import { isEditable, type Release } from '../../contract/updates/releases'
import { collect, online, positive, wholeNumber } from '../core/command'
import { Failed, Usage } from '../core/errors'
import { note } from '../core/print'
import { differenceOf, type Facts, fillDraft, openRelease, wayOn } from './draft'
import { type LocalFile, readPayload, readSbom } from './local-file'
import { releaseFacts } from './print'
import { isSignedValidly, signIfAsked, type SigningOptions } from './sign'

type Options = SigningOptions & {
  name: string
  version: number
  model: string[]
  kind: Release['type']
  displayVersion?: string
  description?: string
  notesFile?: string
  sbom?: string[]
  minInstalledVersion?: number
  reboot?: Release['reboot']
}

const readText = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Failed(error instanceof Error ? error.message : String(error))
  }
}

const factsOf = (options: Options): Facts => ({
  name: options.name,
  version: options.version,
  type: options.kind,
  hardware_models: options.model,
  ...(options.displayVersion !== undefined && { display_version: options.displayVersion }),
  ...(options.description !== undefined && { description: options.description }),
  ...(options.notesFile !== undefined && { notes: readText(options.notesFile).trim() }),
  ...(options.minInstalledVersion !== undefined && { min_installed_version: options.minInstalledVersion }),
  ...(options.reboot !== undefined && { reboot: options.reboot }),
})

const readFiles = async (payloads: readonly string[], { kind, sbom = [] }: Options) => {
  const files: LocalFile[] = []
  for (const argument of payloads) files.push(await readPayload(argument, kind))
  for (const path of sbom) files.push(await readSbom(path))
  const twice = files.find(({ name }, at) => files.findIndex((other) => other.name === name) < at)
  if (twice) throw new Usage(`Two files are named ${twice.name}`)
  return files
}

export const push = (parent: Command): void => {
  const command = parent
    .command('push')
    .description('upload a release, build its manifest and sign it; run again, it goes on where it stopped')
    .argument('<file...>', 'FILE=/path/on/device[:0755]; images and bundles without a path')
    .requiredOption('--name <name>', 'name of the release')
    .requiredOption('--version <number>', 'version, a whole number that only rises', positive)
    .requiredOption('--model <model>', 'hardware model; may be repeated', collect)
    .addOption(new Option('--kind <kind>', 'kind of the release').choices(releaseTypes).default('file'))
    .option('--display-version <text>', 'version that people read, such as 2.5.0')
    .option('--description <text>', 'what the release brings, in one line')
    .option('--notes-file <file>', 'release notes in Markdown')
    .option('--sbom <file>', 'software bill of materials (CycloneDX or SPDX); may be repeated', collect)
    .option('--min-installed-version <number>', 'devices with an older version are left out', wholeNumber)
    .addOption(new Option('--reboot <rule>', 'when devices restart').choices(rebootRules))
    .addOption(new Option('--sign-with <key.pem>', 'sign here with this private key; it is not sent').conflicts('signature'))
    .option('--signature <file>', 'attach a signature made elsewhere: base 64, as keys sign prints it')
    .option('--manifest-out <file>', 'write the manifest that is to be signed')
  online<[string[]], Options>(command, async (context, options, payloads) => {
    const facts = factsOf(options)
    const files = await readFiles(payloads, options)
    let found = await openRelease(context, facts)
    if (isEditable(found.state)) {
      await fillDraft(context, found, files)
      found = (await context.api.call(finalizeRelease, { releaseId: found.id }, { body: {} })).release
    }
    const difference = differenceOf(found, files)
    if (difference !== undefined)
      throw new Failed(`The release ${found.version} is ${found.state.replaceAll('_', ' ')}, and ${difference}. ${wayOn(found)}`)
    for (const warning of found.warnings) note(`Warning: ${warning}`)
    // Another key may sign a signed release too: the keys of its signatures may have been revoked.
    found = await signIfAsked(context, found, { facts, files }, options)
    if (found.state === 'awaiting_signature')
      note('Awaits a signature: run again with --sign-with or --signature, or sign it in the console')
    else if (!(await isSignedValidly(context, found)))
      throw new Failed(
        'The keys that signed this release were revoked: run again with --sign-with or --signature of another key, or sign it in the console',
      )
    context.show(found, () => releaseFacts(found))
  })
}
