import { Link, useNavigate, useParams } from 'react-router';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { TodoView } from './todo-view.tsx';

/** Page `/todos/:todoId`: one todo, the latest work of an agent on it, and the way to its chat. */
export function TodoPage() {
  const { todoId = '' } = useParams();
  const navigate = useNavigate();
  return (
    <TodoView
      key={todoId}
      todoId={todoId}
      onErased={() => navigate('/todos')}
      frame={(parts) => (
        <>
          <Link to="/todos" className="back">
            <Icon name="back" />
            Todos
          </Link>
          <Page {...parts} />
        </>
      )}
    />
  );
}
