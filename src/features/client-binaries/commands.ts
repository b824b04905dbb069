import type { ClientBinary, System } from '../../../contract/fleet/client-binaries'

type Step = { label: string; command: string }

const install = ({ url, file_name: file, sha256 }: ClientBinary): Record<System, string> => ({
  linux: `curl -fsSLO ${url} && echo "${sha256}  ${file}" | sha256sum -c`,
  macos: `curl -fsSLO ${url} && echo "${sha256}  ${file}" | shasum -a 256 -c`,
  windows: `curl.exe -fsSLO ${url}; if ((Get-FileHash ${file}).Hash -ne '${sha256}') { throw 'The file was changed in transit' }`,
})

// One command for every shell: no exclamation mark, dollar or double quote inside the double quotes.
const verify = ({ file_name: file, signature }: ClientBinary): string | undefined =>
  signature === null
    ? undefined
    : `node -e "const ok=require('crypto').verify(null,require('fs').readFileSync('${file}'),` +
      `{key:Buffer.from('${signature.public_key}','base64'),format:'der',type:'spki'},` +
      `Buffer.from('${signature.value}','base64'));` +
      `console.log(ok?'${file}: signed by this key':'${file}: NOT signed by this key');process.exit(ok?0:3)"`

/** The commands for the machine, in order. The first one fails if the bytes are not those of this page. */
export const stepsOf = (binary: ClientBinary, system: System): Step[] => {
  const signed = verify(binary)
  const helpOnly = system === 'windows' || binary.kind === 'cli'
  return [
    { label: 'Download and check', command: install(binary)[system] },
    ...(signed === undefined ? [] : [{ label: 'Verify the signature', command: signed }]),
    {
      label: helpOnly ? 'Show the help' : 'Run',
      command: `node ${binary.file_name} ${helpOnly ? '--help' : '--config device.json'}`,
    },
  ]
}

/** The system of the browser; Linux if it is not known. */
export const systemOf = (userAgent: string): System =>
  /Windows/i.test(userAgent) ? 'windows' : /Mac OS X|Macintosh/i.test(userAgent) ? 'macos' : 'linux'
