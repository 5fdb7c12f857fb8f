import css from './content.module.css'

export interface HtmlFrameProps {
  title: string
  /** Address of the HTML. Absent: a form with the frame's name as its target loads the HTML. */
  src?: string
  name?: string
}

/**
 * Frame without any rights for HTML that comes from outside of the pages. The HTML has a policy of
 * its own, so that it can neither run scripts nor load anything but images.
 */
export function HtmlFrame(props: HtmlFrameProps) {
  return <iframe className={css['htmlFrame']} sandbox="" referrerPolicy="no-referrer" {...props} />
}
