import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from 'pdfjs-dist';
// Vite makes this module from its query.
// oxlint-disable-next-line import/default
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { useEffect, useRef, useState } from 'react';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { NothingToShow } from './nothing-to-show.tsx';

GlobalWorkerOptions.workerSrc = workerUrl;

/** A PDF, page after page; a page is drawn when it comes into sight. Default export, because it is loaded lazily. */
export default function PdfPreview({ url, path }: { url: string; path: string }) {
  const [document, setDocument] = useState<PDFDocumentProxy | undefined>(undefined);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const task = getDocument({
      url,
      // The page's policy forbids compiling code, and nothing is fetched but the file itself.
      useWasm: false,
      useSystemFonts: true,
      isImageDecoderSupported: false,
    });
    let isOver = false;
    task.promise.then(
      (loaded) => {
        if (!isOver) setDocument(loaded);
      },
      () => {
        if (!isOver) setFailed(true);
      },
    );
    return () => {
      isOver = true;
      void task.destroy();
    };
  }, [url]);
  if (failed) {
    return (
      <NothingToShow text="This PDF cannot be shown: it is damaged or has a passphrase. Save it to open it elsewhere." />
    );
  }
  if (!document) return <Loading label="Loading the PDF" />;
  return (
    <ScrollRegion label={path} className="min-h-0 flex-1 space-y-3 bg-sunken px-5 py-3">
      {Array.from({ length: document.numPages }, (_, index) => (
        <Page key={index} document={document} number={index + 1} />
      ))}
    </ScrollRegion>
  );
}

/** Height of a page's place until it is known; A4 at the width of the panel. */
const EXPECTED_RATIO = 1.414;

function Page({ document, number }: { document: PDFDocumentProxy; number: number }) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isNear, setIsNear] = useState(false);
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setIsNear(true);
      },
      { rootMargin: '400px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    const width = frame.current?.clientWidth;
    if (!isNear || !element || !width) return;
    const draw = new AbortController();
    void drawPage(document, number, element, width, draw.signal).then(() => setIsDrawn(true));
    return () => draw.abort();
  }, [isNear, document, number]);
  return (
    <div
      ref={frame}
      className="mx-auto w-full max-w-200 overflow-hidden rounded-sm border border-line"
      style={{ background: 'white', ...(!isDrawn && { aspectRatio: 1 / EXPECTED_RATIO }) }}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Page ${number} of ${document.numPages}`}
        className="w-full"
      />
    </div>
  );
}

async function drawPage(
  document: PDFDocumentProxy,
  number: number,
  canvas: HTMLCanvasElement,
  width: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const page = await document.getPage(number);
    const natural = page.getViewport({ scale: 1 });
    const scale = (width / natural.width) * Math.min(2, window.devicePixelRatio);
    const viewport = page.getViewport({ scale });
    if (signal.aborted) return;
    canvas.width = viewport.width;
    canvas.height = viewport.height;
    const task = page.render({ canvas, viewport });
    signal.addEventListener('abort', () => task.cancel());
    await task.promise;
  } catch {
    // A page that cannot be drawn, or whose drawing was cancelled, stays blank.
  }
}
