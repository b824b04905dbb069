import { serveReaders } from './core/reading/serve-readers'
import { readImportFile } from './fleet/imports/read-rows'
import { readLogLines } from './fleet/logs/summaries/read-lines'
import { readSbomFile } from './updates/releases/components/read-file'
import { readUpdateBundle } from './updates/releases/read-update-bundle'
import { checkFiles } from './updates/secure-boot/checks/check-files'
import { findPrivateKeyInFile } from './updates/uploads/find-private-key'

// The program of reading threads: all that reads foreign files. Its readers import neither the database nor the storage.
serveReaders({
  sbom: readSbomFile,
  'bundle-files': checkFiles,
  'private-key': findPrivateKeyInFile,
  'update-bundle': readUpdateBundle,
  'device-import': readImportFile,
  'log-lines': readLogLines,
})
