/** The app's mark: a hull on its slipway. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path
        d="M2.600 5.400 21 8.700c-.3 4.900-4.600 7.900-9.700 7C6.300 14.800 2.900 10.600 2.600 5.400Z"
        fill="currentColor"
      />
      <path d="M1.900 17.600 22.100 21.200" stroke="currentColor" strokeWidth="1.900" strokeLinecap="round" />
    </svg>
  );
}
