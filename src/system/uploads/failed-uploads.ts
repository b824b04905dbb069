import { formatCount } from '../../lib/amounts'
import { notify } from '../failure/notify'
import { listTagged, type UploadPanelActor } from './tagged-uploads'

/** Failures within this time are announced together: one reason often ends several uploads. */
const togetherMs = 500

/** An upload that fails without a row would fail unseen: a notice that stays leads to its row, which offers the retry. */
export const announceFailed = (panel: UploadPanelActor): void => {
  let names: string[] = []
  const announce = () => {
    const [first] = names
    const text = names.length === 1 ? `The upload of ${first} failed` : `${formatCount(names.length)} uploads failed`
    names = []
    const show = () => panel.send({ type: 'files.chosen', files: listTagged(panel, 'failed') })
    void notify({ kind: 'warning', text, action: { label: 'Show', onClick: show } })
  }
  panel.on('upload.ended', ({ id, end }) => {
    const entry = panel.getSnapshot().context.entries.find(({ file }) => file.id === id)
    if (end !== 'failed' || !entry || entry.shown) return
    if (names.length === 0) setTimeout(announce, togetherMs)
    names.push(entry.file.name)
  })
}
