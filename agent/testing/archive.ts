import { crc32 } from 'node:zlib'

/** A zip archive by another program (Python's zipfile): sub/a.txt of 1000 times "a", mode 0640, and a comment. */
export const archive = Buffer.from(
  'UEsDBBQAAAAIAABgYVwD2jiaCwAAAOgDAAAJAAAAc3ViL2EudHh0S0wcBaNgFAx3AABQSwECFAMUAAAACAAAYGFcA9o4mgsAAADoAwAACQAAAAAAAAAAAAAAoIEAAAAAc3ViL2EudHh0UEsFBgAAAAABAAEANwAAADIAAAAJAGEgY29tbWVudA==',
  'base64',
)

/** A zip archive of one stored file. */
export const storedArchive = (name: string, data: Buffer): Buffer => {
  const [head, entry, end] = [Buffer.alloc(30), Buffer.alloc(46), Buffer.alloc(22)]
  const title = Buffer.from(name)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(title.length, 26)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt32LE(crc32(data), 16)
  entry.writeUInt32LE(data.length, 20)
  entry.writeUInt32LE(data.length, 24)
  entry.writeUInt16LE(title.length, 28)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(entry.length + title.length, 12)
  end.writeUInt32LE(head.length + title.length + data.length, 16)
  return Buffer.concat([head, title, data, entry, title, end])
}
