import { avatar } from './recipes/avatar.recipe'
import { badge } from './recipes/badge.recipe'
import { button } from './recipes/button.recipe'
import { cards } from './recipes/cards.recipe'
import { chart } from './recipes/chart.recipe'
import { chip } from './recipes/chip.recipe'
import { choice } from './recipes/choice.recipe'
import { codeBlock } from './recipes/code.recipe'
import { dialog, drawer } from './recipes/dialog.recipe'
import { dropZone } from './recipes/drop-zone.recipe'
import { facets } from './recipes/facets.recipe'
import { factStrip } from './recipes/fact-strip.recipe'
import { field } from './recipes/field.recipe'
import { dock } from './recipes/dock.recipe'
import { form } from './recipes/form.recipe'
import { input } from './recipes/input.recipe'
import { kbd } from './recipes/kbd.recipe'
import { levels } from './recipes/levels.recipe'
import { link } from './recipes/link.recipe'
import { mark } from './recipes/mark.recipe'
import { menu } from './recipes/menu.recipe'
import { nav } from './recipes/nav.recipe'
import { notice } from './recipes/notice.recipe'
import { page } from './recipes/page.recipe'
import { panel } from './recipes/panel.recipe'
import { hint, popover } from './recipes/popover.recipe'
import { progress } from './recipes/progress.recipe'
import { scaleBar } from './recipes/scale-bar.recipe'
import { segment } from './recipes/segment.recipe'
import { combobox, select } from './recipes/select.recipe'
import { shape } from './recipes/shape.recipe'
import { skeleton } from './recipes/skeleton.recipe'
import { table } from './recipes/table.recipe'
import { tabs } from './recipes/tabs.recipe'
import { tag } from './recipes/tag.recipe'
import { timeline } from './recipes/timeline.recipe'
import { toast } from './recipes/toast.recipe'
import { palette } from './recipes/palette.recipe'
import { tour } from './recipes/tour.recipe'
import { trace } from './recipes/trace.recipe'

export const recipes = { avatar, badge, button, kbd, link, mark, shape, skeleton, tag }

export const slotRecipes = {
  cards,
  chart,
  chip,
  choice,
  codeBlock,
  combobox,
  dialog,
  drawer,
  dropZone,
  facets,
  factStrip,
  field,
  dock,
  form,
  hint,
  input,
  levels,
  menu,
  nav,
  notice,
  page,
  palette,
  panel,
  popover,
  progress,
  scaleBar,
  segment,
  select,
  table,
  tabs,
  timeline,
  toast,
  tour,
  trace,
}
