import { formatCount } from '../../../lib/amounts'
import { useModal } from '../../../system/modals/use-modal'
import { Button } from '../../../ui/button'
import * as Drawer from '../../../ui/overlay/drawer'
import { type Facet, FacetList } from '../../../ui/list/facets'

type Props = {
  facets: readonly Facet[]
  count: number
  onChoose: (field: string, value: string) => void
  onClear: () => void
  onClose: () => void
}

export const FilterPanel = ({ facets, count, onChoose, onClear, onClose }: Props) => {
  const { close, root } = useModal('device_filters', onClose)
  return (
    <Drawer.Root {...root}>
      <Drawer.Panel
        title="Filters"
        footer={
          <>
            <Button variant="primary" onClick={close}>
              Show devices
            </Button>
            {count > 0 && <Button onClick={onClear}>Clear filters</Button>}
          </>
        }
      >
        <FacetList facets={facets} onChoose={onChoose} format={formatCount} />
      </Drawer.Panel>
    </Drawer.Root>
  )
}
