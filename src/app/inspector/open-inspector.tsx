import { createRoot } from 'react-dom/client'
import '../../theme/rest.css'
import type { Inspection } from '../../system/inspection'
import { InspectorPanel } from './inspector-panel'
import { createRecorder } from './recorder'

/** The panel has its own React root, so that it works even when the console fails. */
export const openInspector = (inspection: Inspection | undefined): void => {
  if (!inspection) return
  const recorder = createRecorder()
  inspection.listen(recorder.hear)
  const frame = document.body.appendChild(document.createElement('div'))
  frame.id = 'inspector'
  const root = createRoot(frame)
  const close = () => {
    sessionStorage.setItem('inspect', 'off')
    const address = new URL(window.location.href)
    address.searchParams.delete('inspect')
    window.history.replaceState(window.history.state, '', address)
    inspection.clock.release()
    root.unmount()
    frame.remove()
  }
  root.render(<InspectorPanel inspection={inspection} recorder={recorder} frame={frame} onClose={close} />)
}
