import { Button } from './button.tsx';

/** What is said in place of a page whose code could not be loaded, or that crashed. */
export function failedPage(isUnloaded: boolean): { title: string; intro: string } {
  return isUnloaded
    ? {
        title: 'This page could not be loaded',
        intro: 'The connection was lost, or the service has been updated since this window was opened.',
      }
    : { title: 'Something went wrong', intro: 'The page has crashed. Saved data is not affected.' };
}

/** The button of such a page. `wide`: as wide as what is around it. */
export function Reload({ wide = false }: { wide?: boolean }) {
  return (
    <Button kind="primary" wide={wide} onPress={() => location.reload()}>
      Load the page again
    </Button>
  );
}
