import { serveReaders } from './core/reading/serve-readers'
import { readSbomFile } from './updates/releases/components/read-file'

// The program of reading threads: what reads foreign files. It is loaded for each thread, so it imports little.
serveReaders({ sbom: readSbomFile })
