// Imported first: reports an old Node before any newer feature is used.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Teasel needs Node 20.19 or later; this is ${process.versions.node}.\n`)
  process.exit(1)
}
