/** The two waves. */
export function Mark({ size = 28 }: { readonly size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <g fill="none" stroke="currentColor" strokeWidth="3.5" strokeLinecap="round">
        <path d="M2 12c4.7-5 9.3-5 14 0s9.3 5 14 0" />
        <path d="M2 22c4.7-5 9.3-5 14 0s9.3 5 14 0" opacity=".5" />
      </g>
    </svg>
  )
}
