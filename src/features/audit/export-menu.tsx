import type { ReactNode } from 'react'
import * as Menu from '../../ui/overlay/menu'

/** Loaded when the button is first pressed, and then opened at once. */
export const ExportMenu = ({ onChoose, children }: { onChoose: (format: 'csv' | 'ndjson') => void; children: ReactNode }) => (
  <Menu.Root
    defaultOpen
    onSelect={({ value }) => onChoose(value === 'csv' ? 'csv' : 'ndjson')}
    positioning={{ placement: 'bottom-end' }}
  >
    <Menu.Trigger asChild>{children}</Menu.Trigger>
    <Menu.Content>
      <Menu.Item value="ndjson">NDJSON, verifiable line by line</Menu.Item>
      <Menu.Item value="csv">CSV, for a spreadsheet</Menu.Item>
    </Menu.Content>
  </Menu.Root>
)
