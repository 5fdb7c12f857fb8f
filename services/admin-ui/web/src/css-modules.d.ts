/** Class names of a CSS module, by their names in the source. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  // oxlint-disable-next-line import/no-default-export -- Vite exports the class names as default.
  export default classes
}

declare module '*.css'
