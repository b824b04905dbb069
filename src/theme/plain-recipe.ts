type Props = Record<string, string | boolean | undefined>

/** A recipe is its class, and one more for each variant. */
export const recipe =
  (name: string, variants: readonly string[], defaults: Props) =>
  (props: Props = {}) =>
    variants.reduce((classes, variant) => {
      const value = props[variant] ?? defaults[variant]
      return value === undefined ? classes : `${classes} ${name}--${variant}_${value}`
    }, name)

/** A slot recipe without variants is a record of classes. */
export const slotRecipe = (name: string, slots: string) => {
  const classes = Object.fromEntries(slots.split(' ').map((slot) => [slot, `${name}__${slot}`]))
  return () => classes
}
