package heddle.junit;

import heddle.runtime.Run;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/** A test method, to be run on a new instance of its class between that class's methods for before and after. */
final class Case implements Run.Body {
    private final Class<?> type;
    private final Method method;
    private final Object[] arguments;
    private final List<Method> before;
    private final List<Method> after;

    Case(Class<?> type, Method method, Object[] arguments) {
        this.type = type;
        this.method = method;
        this.arguments = arguments;
        before = methods(BeforeEach.class, HierarchyTraversalMode.TOP_DOWN);
        after = methods(AfterEach.class, HierarchyTraversalMode.BOTTOM_UP);
        method.setAccessible(true);
    }

    private List<Method> methods(Class<? extends Annotation> annotation, HierarchyTraversalMode order) {
        List<Method> found = AnnotationSupport.findAnnotatedMethods(type, annotation, order);
        for (Method each : found) {
            if (each.getParameterCount() > 0) {
                throw new IllegalStateException("heddle: " + each.getName() + " has parameters: methods with @"
                    + annotation.getSimpleName() + " beside @HeddleTest must have none");
            }
            each.setAccessible(true);
        }
        return found;
    }

    String name() {
        return type.getName() + "#" + method.getName();
    }

    private Object instance() throws Throwable {
        Constructor<?> constructor;
        try {
            constructor = type.getDeclaredConstructor();
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("heddle: " + type.getName()
                + " needs a constructor without parameters: @HeddleTest makes an instance for each run");
        }
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    @Override
    public void call() throws Throwable {
        try {
            Object instance = instance();
            for (Method each : before) {
                each.invoke(instance);
            }
            try {
                method.invoke(instance, arguments);
            } finally {
                for (Method each : after) {
                    each.invoke(instance);
                }
            }
        } catch (InvocationTargetException e) {
            throw HeddleExtension.cause(e);
        }
    }
}
