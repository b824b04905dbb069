/** A zip archive by another program (Python's zipfile): sub/a.txt of 1000 times "a", mode 0640, and a comment. */
export const archive = Buffer.from(
  'UEsDBBQAAAAIAABgYVwD2jiaCwAAAOgDAAAJAAAAc3ViL2EudHh0S0wcBaNgFAx3AABQSwECFAMUAAAACAAAYGFcA9o4mgsAAADoAwAACQAAAAAAAAAAAAAAoIEAAAAAc3ViL2EudHh0UEsFBgAAAAABAAEANwAAADIAAAAJAGEgY29tbWVudA==',
  'base64',
)
