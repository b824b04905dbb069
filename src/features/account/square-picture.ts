import { formatBytes } from '../../lib/bytes'

/** The limit of the source file; the sent picture is much smaller. */
const most = 8 * 1024 ** 2
const side = 512

/** Why a file cannot be a profile picture, in one sentence. */
export class PictureProblem extends Error {}

const refuse = (words: string): never => {
  throw new PictureProblem(words)
}

/** The center of a picture as a square of at most 512 pixels, made in the browser: no location and no camera data is sent. */
export const squarePicture = async (file: File): Promise<Blob> => {
  if (file.size === 0) refuse('The file is empty')
  if (file.size > most) refuse(`File size must be less than ${formatBytes(most)}`)
  const bitmap = await createImageBitmap(file).catch(() =>
    refuse('This picture could not be read. Choose a PNG, JPEG or WebP file'),
  )
  const { width, height } = bitmap
  const cut = Math.min(width, height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.min(cut, side)
  const context = canvas.getContext('2d')
  if (context) {
    context.imageSmoothingQuality = 'high'
    context.drawImage(bitmap, (width - cut) / 2, (height - cut) / 2, cut, cut, 0, 0, canvas.width, canvas.height)
  }
  bitmap.close()
  // A browser that cannot write WebP writes PNG.
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.9))
  return blob ?? refuse('This picture could not be read. Choose a PNG, JPEG or WebP file')
}
