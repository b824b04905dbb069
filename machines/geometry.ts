/** A drawn chart, in the format of the layout library. Coordinates are those of the whole picture. */
type Point = { x: number; y: number }
type Box = { x?: number; y?: number; width?: number; height?: number }
type Section = { startPoint: Point; bendPoints?: Point[]; endPoint: Point }
export type DrawnNode = Box & { id: string; labels?: { text?: string }[]; children?: DrawnNode[] }
export type DrawnEdge = { id: string; sections?: Section[]; labels?: (Box & { text?: string })[] }
export type DrawnChart = DrawnNode & { edges?: DrawnEdge[] }

/** A tenth of a pixel is enough. */
export const at = (value: number | undefined) => Math.round((value ?? 0) * 10) / 10

/** Right angles with a radius of 10, less where a leg is short. */
export const pathOf = (points: readonly Point[]): string =>
  points
    .map((point, n) => {
      const [before, after] = [points[n - 1], points[n + 1]]
      if (!before) return `M${at(point.x)} ${at(point.y)}`
      if (!after) return `L${at(point.x)} ${at(point.y)}`
      const towards = (other: Point) => {
        const length = Math.hypot(other.x - point.x, other.y - point.y) || 1
        const reach = Math.min(10, length / 2) / length
        return `${at(point.x + (other.x - point.x) * reach)} ${at(point.y + (other.y - point.y) * reach)}`
      }
      return `L${towards(before)}Q${at(point.x)} ${at(point.y)} ${towards(after)}`
    })
    .join('')

export const pointsOf = ({ startPoint, bendPoints = [], endPoint }: Section) => [startPoint, ...bendPoints, endPoint]

/** The arrowhead at the end of a line. */
export const headOf = (points: readonly Point[]): string => {
  const [end, before] = [points.at(-1)!, points.at(-2)!]
  const angle = Math.atan2(end.y - before.y, end.x - before.x)
  const wing = (turn: number) => `${at(end.x - 6 * Math.cos(angle + turn))} ${at(end.y - 6 * Math.sin(angle + turn))}`
  return `M${wing(0.5)}L${at(end.x)} ${at(end.y)}L${wing(-0.5)}`
}

export const boxesOf = (node: DrawnNode): DrawnNode[] => (node.children ?? []).flatMap((child) => [child, ...boxesOf(child)])
